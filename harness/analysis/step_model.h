// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One data-parallel training step as a timeline: gradients become ready during the backward pass,
// buckets of them are all-reduced one after the other beside it, and what is not done when the
// backward pass ends is exposed. And how long the slowest of N ranks takes.
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
  bool overlap = true;                   ///< buckets start when ready; else after the backward pass
  double bytes_per_gradient_byte = 1.0;  ///< 0.5 with --compression bf16 or fp16
};

/// The buckets of graph::assign_buckets, in the order in which they are reduced, with the bytes
/// that travel.
[[nodiscard]] std::vector<BucketTiming> bucket_schedule(const StepTimeline& timeline,
                                                        const ReductionModel& reduction);

/// From the start of the step until the last all-reduce is done, when the all-reduce of bucket i
/// takes all_reduce_s[i], starts when bucket i is ready and the one before is done, and everything
/// a rank does takes `slowness` times as long as in the timeline.
[[nodiscard]] double reduction_end_s(std::span<const BucketTiming> buckets,
                                     std::span<const double> all_reduce_s,
                                     double slowness);

/// Relative step times of ranks that do not wait for each other: what N ranks have as their
/// slowest.
class StepNoise {
 public:
  /// Step times divided by their mean, over all ranks and steps of one size, in any order. Empty:
  /// no noise.
  explicit StepNoise(std::vector<double> relative_times);

  /// The p-quantile, 0 <= p < 1 (checked): of the observations up to the 95th percentile, above it
  /// of an exponential with their mean excess, so that more ranks than observations find a slower
  /// one.
  [[nodiscard]] double quantile(double p) const;
  /// The slowest of `ranks` independent draws as a function of one uniform draw in [0, 1):
  /// quantile(uniform^(1 / ranks)).
  [[nodiscard]] double slowest(std::int64_t ranks, double uniform) const;
  /// Expected value of slowest(), by the midpoint rule.
  [[nodiscard]] double expected_slowest(std::int64_t ranks) const;

 private:
  std::vector<double> sorted_;
  double threshold_ = 1.0;    ///< the 95th percentile
  double mean_excess_ = 0.0;  ///< over it
};

}  // namespace dlbench::harness
