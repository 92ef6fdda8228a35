// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Conclusions from the trials: verdict, operators, job efficiency, training history. trial_record.h
// has the trials themselves, scaling_record.h the conclusions over several numbers of ranks.
#pragma once

#include "reports/trial_record.h"
#include "reports/value.h"
#include "reports/vocabulary.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::reports {

/// One recommendation.
struct AdviceRecord {
  std::string change;  ///< a sentence, e.g. "4 loader workers instead of 1: up to 3.1x"
  /// Upper bound of the factor on full throughput, from measured numbers; null: not computable.
  std::optional<double> expected_gain;
};

/// Time per sample that one part adds to the full pipeline: a difference of paired trials.
struct ComponentRecord {
  std::string name;  ///< input, copy or communication
  double s_per_sample = 0.0;
  double share = 0.0;                  ///< of the full trial's time per sample; may be negative
  std::optional<IntervalRecord> ci95;  ///< of the share
};

struct AttributionRecord {
  Verdict verdict = Verdict::kUnsure;
  std::string limiting;          ///< the part to work on: input, processors, copy, step, ...
  std::optional<double> margin;  ///< share of the full time that decides the verdict
  std::optional<IntervalRecord> margin_ci95;
  std::optional<double> predicted_full_samples_per_second;
  std::optional<double> overlap_efficiency;  ///< full / predicted
  /// Processors' worth of time that all ranks had, which the prediction is based on; null: loader
  /// and step share no processors, or there is no prediction.
  std::optional<double> cpu_capacity;
  std::string explanation;
  std::vector<AdviceRecord> advice;
  std::vector<ComponentRecord> components;
};

/// One node of the plan, from a separate profiled repetition of synthetic/device on rank 0.
struct OperatorRecord {
  std::string name;   ///< of the node
  std::string op;     ///< e.g. conv2d
  std::string phase;  ///< forward, loss, backward or optimizer
  std::int64_t calls = 0;
  double s_per_step = 0.0;  ///< as measured by exec::Executor::run_profiled()
  double share = 0.0;       ///< of all operators of the step
  std::optional<double> flop;
  std::optional<double> bytes;
  std::optional<double> flop_per_s;
  std::optional<double> bytes_per_s;
  std::optional<Bound> bound;  ///< null: peaks unknown
  std::string kernel;
  std::string layout;
};

struct JobRankRecord {
  std::int64_t rank = 0;
  std::string host;
  std::optional<double> cpu_time_s;
  std::optional<std::int64_t> memory_used_bytes;
};

/// How well the job used its resources.
struct JobRecord {
  std::string state;  ///< e.g. COMPLETED, in the words of schedulers
  std::optional<double> cpu_time_s;
  double wall_s = 0.0;
  std::optional<std::int64_t> cores;
  /// Processors' worth of time available: cores, or less with a CPU quota; null: not recorded.
  std::optional<double> cpu_capacity;
  std::optional<double> cpu_efficiency;  ///< cpu_time_s / (wall_s * cpu_capacity)
  std::optional<std::int64_t> memory_used_bytes;
  std::optional<std::int64_t> memory_limit_bytes;
  std::vector<JobRankRecord> per_rank;
};

/// One epoch of `train`.
struct EpochRecord {
  std::int64_t epoch = 0;                 ///< from 1
  std::optional<std::string> started_at;  ///< RFC 3339, UTC, of the training part; null: older
  double seconds = 0.0;                   ///< training part, without validation
  std::optional<std::int64_t> samples;    ///< real ones, over all ranks; null: older
  std::optional<double> samples_per_second;
  std::optional<double> learning_rate;            ///< at the end of the epoch
  std::optional<double> train_loss;               ///< null: not finite
  std::optional<double> valid_loss;               ///< null: no validation set, or not finite
  std::map<std::string, double> metrics;          ///< NaN, null in the file: 0 / 0
  std::optional<LossScalingRecord> loss_scaling;  ///< of this epoch's steps; null: none
  std::optional<DisturbanceRecord> disturbance;   ///< rank 0's, of the training part; null: older
};

}  // namespace dlbench::reports
