// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One data-parallel training step as a timeline: gradients become ready during the backward pass,
// buckets of them are all-reduced one after the other meanwhile, and what is not finished when the
// backward pass ends is exposed. Also models how long the slowest of N ranks takes.
#pragma once

#include "harness/analysis/link_fit.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dlbench::harness {

/// When one gradient tensor is complete.
struct GradientTiming {
  std::int64_t bytes = 0;
  double ready_s = 0.0;  ///< after the start of the step
};

/// One step of one rank without communication, measured or estimated.
struct StepTimeline {
  std::vector<GradientTiming> gradients;  ///< in order of registration of their parameters
  double backward_end_s = 0.0;            ///< after the start of the step
  double step_s = 0.0;                    ///< the optimizer included
};

/// One bucket of the schedule.
struct BucketTiming {
  double bytes = 0.0;
  double ready_s = 0.0;  ///< its last gradient
};

/// How the gradients are reduced.
struct ReductionModel {
  double first_cap_mib = 1.0;
  double bucket_cap_mib = 25.0;
  bool overlap = true;                   ///< buckets start when ready, not after the backward pass
  double bytes_per_gradient_byte = 1.0;  ///< 0.5 with --compression bf16 or fp16
};

/// Returns the buckets of graph::assign_buckets in reduction order, with the bytes on the wire.
[[nodiscard]] std::vector<BucketTiming> bucket_schedule(const StepTimeline& timeline,
                                                        const ReductionModel& reduction);

/// Returns the time from the start of the step to the end of the last all-reduce. The all-reduce of
/// bucket i takes all_reduce_s[i] and starts when bucket i is ready and the previous one is done;
/// everything a rank does takes `slowness` times as long as in the timeline.
[[nodiscard]] double reduction_end_s(std::span<const BucketTiming> buckets,
                                     std::span<const double> all_reduce_s,
                                     double slowness);

/// Relative step times of ranks that do not wait for each other; predicts the slowest of N ranks.
class StepNoise {
 public:
  /// Takes step times divided by their mean, over all ranks and steps of one size, in any order.
  /// Empty: no noise.
  explicit StepNoise(std::vector<double> relative_times);

  /// Returns the p-quantile, 0 <= p < 1 (checked): of the observations up to the 95th percentile,
  /// and above it of an exponential with their mean excess, so that with more ranks than
  /// observations the slowest may exceed all of them.
  [[nodiscard]] double quantile(double p) const;
  /// Returns the slowest of `ranks` independent draws as a function of one uniform draw in [0, 1):
  /// quantile(uniform^(1 / ranks)).
  [[nodiscard]] double slowest(std::int64_t ranks, double uniform) const;
  /// Returns the expected value of slowest(), by the midpoint rule.
  [[nodiscard]] double expected_slowest(std::int64_t ranks) const;

 private:
  std::vector<double> sorted_;
  double threshold_ = 1.0;    ///< the 95th percentile
  double mean_excess_ = 0.0;  ///< over it
};

}  // namespace dlbench::harness
