// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The modelled step of any number of ranks.
#include "engine/core/error.h"
#include "engine/core/rng.h"
#include "harness/analysis/projection_internal.h"
#include "reports/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace dlbench::harness {
namespace {

using reports::summarize;

constexpr std::size_t kDraws = 200;  ///< steps simulated for one mean
constexpr std::size_t kJitterLength = 8192;
constexpr std::uint64_t kJitterStream = 1;

/// Returns the observed waiting for late ranks relative to that of independent draws from the step
/// times: ranks that are slow together wait less, ranks that take turns more.
double seen_share(const std::vector<MeasuredSize>& sizes, const StepNoise& noise) {
  double seen = 0.0;
  double independent = 0.0;
  for (const MeasuredSize& size : sizes) {
    if (size.ranks > 1) {
      seen += size.waiting_share;
      independent += noise.expected_slowest(size.ranks) - 1.0;
    }
  }
  return independent > 0.0 ? seen / independent : 1.0;
}

/// Returns the relative standard error of the waiting observed by seen_share().
double seen_error(const std::vector<MeasuredSize>& sizes) {
  double seen = 0.0;
  double squares = 0.0;
  for (const MeasuredSize& size : sizes) {
    if (size.ranks > 1) {
      seen += size.waiting_share;
      squares += size.waiting_error * size.waiting_error;
    }
  }
  return seen > 0.0 ? std::sqrt(squares) / seen : 0.0;
}

/// Returns the jitter of calls of a collective, whose mean equals its standard deviation because it
/// is exponential. Takes the median over sizes, so that a single disturbed call does not matter.
double typical_jitter_s(const std::vector<CollectiveTime>& collectives) {
  std::vector<double> deviations;
  deviations.reserve(collectives.size());
  for (const CollectiveTime& collective : collectives) {
    deviations.push_back(collective.stddev_s);
  }
  return summarize(deviations)->median;
}

/// Timelines are from rank 0, which has the largest batch. Throws core::Error(kData) without one.
std::vector<BatchStep> batch_steps(const ProjectionInput& input,
                                   const std::vector<MeasuredSize>& sizes) {
  std::vector<BatchStep> steps;
  for (const MeasuredSize& size : sizes) {
    const auto timeline = input.timelines.find(size.ranks);
    if (timeline == input.timelines.end() || timeline->second.step_s <= 0.0) {
      throw core::Error(
          core::ErrorCode::kData,
          fmt::format("a projection needs the timeline of a step at {} rank(s)", size.ranks));
    }
    steps.push_back(
        {size.local_batch, size.nocomm_s / size.load, size.largest_batch, timeline->second});
  }
  return steps;
}

}  // namespace

StepPredictor::StepPredictor(const ProjectionInput& input, const std::vector<MeasuredSize>& sizes)
    : batches_(batch_steps(input, sizes)),
      broadcast_bytes_(input.broadcast_bytes),
      noise_(sizes.back().step_times),
      noise_share_(seen_share(sizes, noise_)),
      waiting_error_(seen_error(sizes)),
      jitter_s_(typical_jitter_s(input.collectives)),
      anchor_load_(sizes.back().load),
      anchor_batch_(sizes.back().local_batch) {
  core::RandomStream random(input.seed, kJitterStream);
  for (std::size_t draw = 0; draw < kJitterLength; ++draw) {
    jitter_.push_back(-std::log1p(-static_cast<double>(random.uniform())));
  }
  // Mean exactly 1, because the measured means include the mean of the jitter.
  const double mean = std::accumulate(jitter_.begin(), jitter_.end(), 0.0) / kJitterLength;
  for (double& value : jitter_) {
    value /= mean;
  }
}

StepPredictor::Draws StepPredictor::draws(const Target& target) const {
  if (target.ranks == 1) {
    return {.slowness = {1.0}};  // the mean, which nobody waits for
  }
  // Strides coprime with kDraws visit every cell once, in two unrelated orders.
  constexpr std::size_t kStride = 73;
  constexpr std::size_t kOtherStride = 179;
  const auto slowest = [this](std::int64_t ranks, std::size_t cell) {
    const double uniform = (static_cast<double>(cell % kDraws) + 0.5) / kDraws;
    return 1.0 + noise_share_ * (noise_.slowest(ranks, uniform) - 1.0);
  };
  const std::int64_t others = target.ranks - target.largest_ranks;
  const auto of_largest = static_cast<double>(target.largest_ranks);
  const double rest =
      target.mean_batch * static_cast<double>(target.ranks) - target.largest_batch * of_largest;
  const BatchCurve curve = batches_.curve();
  Draws result;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    double slowness = slowest(target.largest_ranks, draw * kStride);
    if (others > 0) {
      const double smaller = curve.compute_s(rest / static_cast<double>(others)) /
                             curve.compute_s(target.largest_batch);
      slowness = std::max(slowness, smaller * slowest(others, draw * kOtherStride));
    }
    result.slowness.push_back(slowness);
  }
  return result;
}

ModelledStep StepPredictor::step(const ModelParameters& parameters,
                                 const ReductionModel& reduction,
                                 const Target& target,
                                 const Draws& draws) const {
  ModelledStep result;
  const BatchCurve& curve = parameters.curve;
  const double anchor_s = parameters.compute_s * target.load / anchor_load_;
  const double scale = anchor_s / curve.compute_s(anchor_batch_);
  const double largest_s = scale * curve.compute_s(target.largest_batch);
  const StepTimeline timeline = batches_.timeline(curve, target.largest_batch);
  const std::vector<BucketTiming> buckets = bucket_schedule(timeline, reduction);
  std::vector<double> mean_s;
  mean_s.reserve(buckets.size());
  for (const BucketTiming& bucket : buckets) {
    mean_s.push_back(
        collective_s(parameters.link, comm::Collective::kAllReduce, bucket.bytes, target.ranks));
  }
  double broadcasts_s = 0.0;
  for (const double bytes : broadcast_bytes_) {
    broadcasts_s +=
        collective_s(parameters.link, comm::Collective::kBroadcast, bytes, target.ranks);
  }
  std::vector<double> all_reduce_s(mean_s.size(), 0.0);
  double slowest_s = 0.0;
  double transfer_s = 0.0;
  std::size_t next = 0;
  for (const double drawn : draws.slowness) {
    const double slowness = 1.0 + parameters.waiting_scale * (drawn - 1.0);
    for (std::size_t bucket = 0; target.ranks > 1 && bucket < mean_s.size(); ++bucket) {
      const double extra_s = jitter_s_ * (jitter_[next++ % kJitterLength] - 1.0);
      all_reduce_s[bucket] = std::max(mean_s[bucket] + extra_s, 0.0);
    }
    const double end_s = reduction_end_s(buckets, all_reduce_s, slowness * scale);
    slowest_s += slowness * largest_s;
    transfer_s += std::max(0.0, end_s - slowness * scale * timeline.backward_end_s);
  }
  const auto count = static_cast<double>(draws.slowness.size());
  result.compute_s = scale * curve.compute_s(target.mean_batch);
  result.waiting_s = slowest_s / count - result.compute_s;
  result.transfer_s = transfer_s / count + broadcasts_s;
  result.input_s = std::max(0.0, target.loader_s - slowest_s / count - result.transfer_s);
  return result;
}

}  // namespace dlbench::harness
