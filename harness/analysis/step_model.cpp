// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/step_model.h"

#include "engine/core/check.h"
#include "engine/graph/passes.h"
#include "reports/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::percentile;

constexpr double kTail = 0.05;  ///< share of the observations that the tail is fitted to
constexpr double kMebibyte = 1048576.0;

}  // namespace

std::vector<BucketTiming> bucket_schedule(const StepTimeline& timeline,
                                          const ReductionModel& reduction) {
  std::vector<std::int64_t> bytes;
  for (const GradientTiming& gradient : timeline.gradients) {
    bytes.push_back(gradient.bytes);
  }
  const graph::BucketOptions caps{static_cast<std::int64_t>(reduction.first_cap_mib * kMebibyte),
                                  static_cast<std::int64_t>(reduction.bucket_cap_mib * kMebibyte)};
  std::vector<BucketTiming> buckets;
  for (const std::vector<std::size_t>& members : graph::assign_buckets(bytes, caps)) {
    BucketTiming bucket;
    bucket.ready_s = reduction.overlap ? 0.0 : timeline.backward_end_s;
    for (const std::size_t member : members) {
      bucket.bytes += static_cast<double>(bytes[member]) * reduction.bytes_per_gradient_byte;
      bucket.ready_s = std::max(bucket.ready_s, timeline.gradients[member].ready_s);
    }
    buckets.push_back(bucket);
  }
  return buckets;
}

double reduction_end_s(std::span<const BucketTiming> buckets,
                       std::span<const double> all_reduce_s,
                       double slowness) {
  DLBENCH_CHECK(buckets.size() == all_reduce_s.size()) << all_reduce_s.size() << " all-reduces";
  double free_s = 0.0;
  for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    free_s = std::max(free_s, slowness * buckets[bucket].ready_s) + all_reduce_s[bucket];
  }
  return free_s;
}

StepNoise::StepNoise(std::vector<double> relative_times) : sorted_(std::move(relative_times)) {
  std::sort(sorted_.begin(), sorted_.end());
  if (sorted_.empty()) {
    sorted_.push_back(1.0);
  }
  threshold_ = percentile(sorted_, 1.0 - kTail);
  double excess = 0.0;
  double above = 0.0;
  for (const double time : sorted_) {
    if (time > threshold_) {
      excess += time - threshold_;
      above += 1.0;
    }
  }
  mean_excess_ = above > 0.0 ? excess / above : 0.0;
}

double StepNoise::quantile(double p) const {
  DLBENCH_CHECK(0.0 <= p && p < 1.0) << p;
  return p <= 1.0 - kTail ? percentile(sorted_, p)
                          : threshold_ + mean_excess_ * std::log(kTail / (1.0 - p));
}

double StepNoise::slowest(std::int64_t ranks, double uniform) const {
  return quantile(std::pow(uniform, 1.0 / static_cast<double>(ranks)));
}

double StepNoise::expected_slowest(std::int64_t ranks) const {
  constexpr int kCells = 1000;
  double sum = 0.0;
  for (int cell = 0; cell < kCells; ++cell) {
    sum += slowest(ranks, (cell + 0.5) / kCells);
  }
  return sum / kCells;
}

}  // namespace dlbench::harness
