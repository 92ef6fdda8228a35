// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The measurements of one trial, as in `trials[]` of the report. Names include units; the schema
// (schema/report.v1.schema.json) describes each field.
#pragma once

#include "reports/value.h"
#include "reports/vocabulary.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::reports {

/// Lower and upper end of an interval; JSON: [lower, upper].
using IntervalRecord = std::array<double, 2>;

/// A reason not to take a number at face value.
struct TaintRecord {
  Taint code = Taint::kPartial;
  std::string where;  ///< e.g. "trial full"
  std::string detail;
};

struct WarmupRecord {
  std::int64_t steps = 0;  ///< steps taken before the first repetition, the very first one included
  std::string rule;        ///< e.g. "medians of two successive 5-step windows within 2 %"
  bool steady = false;     ///< the rule was met; else the taint warmup_not_steady
  std::optional<double> first_step_s;  ///< not included in any average
};

/// What else the machine did during a repetition. Null: not available on this system.
struct DisturbanceRecord {
  std::optional<std::int64_t> involuntary_context_switches;  ///< of this process
  std::optional<double> steal_s;        ///< time the hypervisor gave to other guests, all cores
  std::optional<double> foreign_cpu_s;  ///< CPU time of processes outside the job
  /// Time for which a CPU quota stopped runnable threads, over all CPUs; null: no quota.
  std::optional<double> throttled_s;
  std::optional<double> sm_clock_mhz;  ///< lowest clock seen on the GPU
  std::vector<std::string> throttle_reasons;
  /// Share of time that the busiest foreign process computed on the GPU, in the driver sample with
  /// the highest value.
  std::optional<double> foreign_gpu_share;
};

/// Batches waiting in the prefetch queue.
struct QueueFillRecord {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// Dynamic loss scaling (fp16).
struct LossScalingRecord {
  double loss_scale = 1.0;         ///< at the end
  std::int64_t skipped_steps = 0;  ///< a gradient was not finite, nothing was updated
};

struct RepetitionRecord {
  std::int64_t index = 0;       ///< counts within the trial, discarded ones included
  std::int64_t round = 0;       ///< repetitions of different trials with one round are paired
  std::int64_t invocation = 0;  ///< number of the process, for repeats across processes
  std::optional<std::string> discarded;   ///< why it does not count, or null
  std::optional<std::string> started_at;  ///< RFC 3339, UTC, of the window; null: an older report
  std::int64_t steps = 0;
  std::int64_t samples = 0;  ///< real samples, over all ranks
  double wall_s = 0.0;       ///< of the slowest rank
  double samples_per_second = 0.0;
  std::optional<double> cpu_s;      ///< user and system time of the job during the repetition
  std::vector<double> step_wall_s;  ///< rank 0
  std::vector<double> step_loss;    ///< rank 0; a NaN is written as null
  std::optional<QueueFillRecord> queue_fill;  ///< null: a trial without a loader
  /// Since the state restored for the repetition; null: none, or a trial without steps.
  std::optional<LossScalingRecord> loss_scaling;
  DisturbanceRecord disturbance;
};

/// Statistics of the repetitions' rates.
struct RateSummary {
  double mean = 0.0;
  std::optional<double> stddev;  ///< n - 1 in the denominator; null for n = 1
  double median = 0.0;
  double mad = 0.0;                    ///< median absolute deviation, not scaled
  std::optional<IntervalRecord> ci95;  ///< of the mean; null for n = 1
  std::int64_t n = 0;                  ///< repetitions that count
  std::string method;                  ///< e.g. "student_t over repetition means"

  friend bool operator==(const RateSummary&, const RateSummary&) = default;
};

struct ThroughputRecord {
  RateSummary samples_per_second;
};

/// Statistics over all steps of the repetitions that count. Percentiles interpolate linearly
/// between order statistics (rank (n - 1) q, counted from 0).
struct StepTimeRecord {
  double median = 0.0;
  double p90 = 0.0;
  double p95 = 0.0;
  double p99 = 0.0;
  double min = 0.0;
  double max = 0.0;
  std::int64_t n = 0;

  friend bool operator==(const StepTimeRecord&, const StepTimeRecord&) = default;
};

/// One phase of the step: data_wait, host_to_device, forward, loss, backward, all_reduce_wait,
/// optimizer or other. A trial's shares sum to 1.
struct PhaseRecord {
  std::string name;
  std::int64_t calls = 0;
  double total_s = 0.0;
  double s_per_step = 0.0;
  double share = 0.0;
  std::string source;  ///< e.g. "host clock, profiled repetition", "device events"
};

/// One stage of the loader: read, decode, transform, collate or wait. The shares sum to 1.
struct StageRecord {
  std::string name;
  double s_per_sample = 0.0;  ///< worker time, not wall time
  double share = 0.0;
};

struct CacheRecord {
  std::string mode;                       ///< as-is, warm or cold
  std::optional<double> resident_before;  ///< share of its pages in memory when reading begins
  std::string proof;  ///< how that was found, e.g. "mincore", "read_bytes", or why unknown
};

struct SkippedSampleRecord {
  std::string path;    ///< name in the data set: stem of its file, or a file and its row
  std::string reason;  ///< names the file
};

struct LoaderRecord {
  std::int64_t workers = 0;
  std::int64_t prefetch = 0;  ///< batches ahead
  std::string decode;         ///< exact or scaled
  std::vector<StageRecord> stages;
  std::optional<std::int64_t> bytes_read;    ///< requested by the loader, per sample times samples
  Measured<std::int64_t> bytes_from_device;  ///< read from storage by rank 0's process
  CacheRecord cache;
  std::int64_t skipped = 0;                          ///< samples left out by --skip-corrupt
  std::vector<SkippedSampleRecord> skipped_samples;  ///< the first of them
};

/// One rank's sums over the repetitions that count.
struct RankRecord {
  std::int64_t rank = 0;
  std::string host;
  std::string device;
  std::optional<std::string> device_address;  ///< PCI, as in 0000:41:00.0; null: it is no GPU
  std::optional<std::string> device_uuid;     ///< of GpuRecord; null: no GPU, or not known
  double samples_per_second = 0.0;  ///< all its samples / wall_s, no mean over repetitions
  std::optional<double> wall_s;
  std::optional<double> cpu_s;
  std::optional<double> late_share;  ///< share of collectives (GPUs: steps) it reached last
  /// 95 % interval of late_share over repetitions; nothing with fewer than 2.
  std::optional<IntervalRecord> late_share_ci95;
};

struct TrialRecord {
  TrialKind kind = TrialKind::kIo;
  /// device, host, nocomm; step_beside_loader, loader_beside_step; or null.
  std::optional<std::string> variant;
  /// The series of RunRecord::scaling that it was measured for, e.g. "weak" or "weak
  /// bucket-cap-mib=100"; null: not part of a sweep over ranks. Kind, variant, ranks and series
  /// together are unique.
  std::optional<std::string> series;
  std::int64_t ranks = 1;
  std::int64_t batch_size_per_rank = 0;
  std::int64_t global_batch_size = 0;
  WarmupRecord warmup;
  std::vector<RepetitionRecord> repetitions;
  std::optional<ThroughputRecord> throughput;  ///< null: no repetition counts
  std::optional<StepTimeRecord> step_time_s;   ///< null: no step was timed
  std::vector<PhaseRecord> phases;
  std::optional<LoaderRecord> loader;  ///< null: a trial without a loader
  Measured<double> achieved_flop_per_s;
  Measured<double> mfu;                ///< achieved / peak of that device and precision, 0 to 1
  std::optional<double> mfu_measured;  ///< achieved / measured peak; null: none was measured
  Measured<double> harness_overhead_s_per_step;
  std::optional<double> cpu_s_per_sample;
  /// Whether steps were recorded and replayed (a CUDA graph); null: no network steps, or a device
  /// that cannot record.
  std::optional<bool> replayed;
  ValueMap probes;  ///< by probe name
  std::vector<RankRecord> per_rank;
  /// Taints implied by the trial's purpose. RunInfoRecord::taints has what went wrong in it.
  std::optional<std::vector<TaintRecord>> taints;  ///< null: nothing

  /// Whether its steps are the network's, see trains(TrialKind, std::string_view).
  [[nodiscard]] bool trains() const { return reports::trains(kind, variant.value_or("")); }
};

}  // namespace dlbench::reports
