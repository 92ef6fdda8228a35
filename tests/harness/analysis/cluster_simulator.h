// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A cluster that exists only as a random configuration: ranks that compute with noise and reduce
// their gradients over a network of one or two levels with jitter, event by event. It "measures"
// what a projection is given and shares no code with the model under test.
#pragma once

#include "harness/analysis/projection.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Every time in seconds. None of it but the gradients is told to the projection.
struct Cluster {
  std::int64_t largest = 8;         ///< ranks; sizes are the powers of two up to it
  std::vector<std::int64_t> sizes;  ///< other ones; empty: those
  /// Strong scaling: dealt to the ranks, uneven where it does not divide. 0: 8 samples on each.
  std::int64_t global_batch = 0;
  std::int64_t node_ranks = 0;  ///< 0: one level
  double latency_s = 0.0;
  double bytes_per_s = 0.0;
  double inside_latency_s = 0.0;
  double inside_bytes_per_s = 0.0;
  double overhead_s = 0.0;       ///< of starting a collective
  double jitter_s = 0.0;         ///< mean of an exponential extra time of each collective
  double rank_noise = 0.0;       ///< lognormal, of each rank and step
  double rank_spread = 0.0;      ///< lognormal, of each rank for good
  double drift = 0.0;            ///< lognormal, of the whole machine, by round
  double contention = 0.0;       ///< by which computing slows beside communication
  double broadcast_bytes = 0.0;  ///< sent around before each step; this is told. On one level
  /// Times of 8 samples. With other local batches all but the optimizer's change, but for a share.
  double forward_s = 0.0;
  double backward_s = 0.0;
  double optimizer_s = 0.0;
  double unscaled = 0.0;        ///< share of forward and backward that a batch of any size takes
  double timeline_noise = 0.0;  ///< lognormal, of each piece of a timeline: fastest of three
  std::vector<GradientTiming> gradients;
  std::vector<std::vector<std::size_t>> buckets;  ///< in the order of their reduction

  [[nodiscard]] std::string text() const;
};

/// A quiet cluster of 8 ranks on one level whose all-reduce takes half of the backward pass.
[[nodiscard]] Cluster quiet_cluster();

/// A random cluster: networks between hidden and bound, steps of 20 to 200 ms.
[[nodiscard]] Cluster random_cluster(std::mt19937_64& random);

/// The same for strong scaling: 1 to 16 samples on a rank of the largest size, up to a third of
/// forward and backward pass independent of the batch, and an optimizer, which is too, of 2 to 50 %
/// of the largest size's forward and backward pass.
[[nodiscard]] Cluster random_strong_cluster(std::mt19937_64& random);

/// Five rounds of 20 steps at every size, and all-reduces alone.
[[nodiscard]] ProjectionInput measure(const Cluster& cluster, std::mt19937_64& random);

/// The measured step at the largest size: mean over rounds of the synthetic trial.
[[nodiscard]] double measured_step_s(const ProjectionInput& input);

/// One all-reduce, message by message, without jitter.
[[nodiscard]] double ring_all_reduce_s(const Cluster& cluster, double bytes, std::int64_t ranks);

}  // namespace dlbench::harness
