// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which samples a rank gets, and in which order: a pure function of (seed, epoch, rank, world).
#pragma once

#include "engine/core/named.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace dlbench::data {

/// kEarly: a rank reads only its own samples. kLate: every rank reads and decodes the whole global
/// batch and keeps its part, to demonstrate the cost.
enum class ShardMode : std::uint8_t { kEarly, kLate };
inline constexpr std::array<core::Named<ShardMode>, 2> kShardModes{
    {{ShardMode::kEarly, "early"}, {ShardMode::kLate, "late"}}};

struct SamplerOptions {
  std::int64_t dataset_size = 0;
  std::int64_t batch_size = 1;  ///< per rank
  /// Samples over all ranks, if not batch_size x world; where the ranks do not divide it, the first
  /// ranks get one sample more. 0: batch_size x world.
  std::int64_t global_batch_size = 0;
  std::uint64_t seed = 1;
  int rank = 0;
  int world = 1;
  bool shuffle = true;
  bool drop_last = true;
};

/// One batch of one rank, as positions in the epoch's order of the whole data set.
struct BatchPlan {
  std::int64_t global_begin = 0;  ///< the global batch is order[global_begin, + global_samples)
  std::int64_t global_samples = 0;
  std::int64_t local_begin = 0;  ///< this rank's part is order[global_begin + local_begin, + ...)
  std::int64_t local_samples =
      0;  ///< 0 only where a kept partial batch has fewer samples than ranks
};

/// Shuffles the data set's sorted list with (seed, epoch), identically on all ranks; consecutive
/// runs of batch_size * world are the global batches, and rank r owns the r-th part of each. So
/// ranks are disjoint and cover everything, and N ranks see what one rank with N times the batch
/// sees. A partial global batch at the end of an epoch is dropped, or spread evenly over the ranks.
class Sampler {
 public:
  /// Throws Error(kUsage) if the data set is empty, or if it has less than one batch for every rank
  /// and drop_last is set; the message names the sizes and the largest batch that fits.
  explicit Sampler(const SamplerOptions& options);

  [[nodiscard]] const SamplerOptions& options() const { return options_; }
  /// Equal on all ranks.
  [[nodiscard]] std::int64_t batches_per_epoch() const { return batches_per_epoch_; }
  /// Returns batch `number` of any epoch; 0 <= number < batches_per_epoch().
  [[nodiscard]] BatchPlan plan(std::int64_t number) const;
  /// Writes the order of the whole data set in `epoch` into `order` (resized; reuses its memory).
  void order(std::int64_t epoch, std::vector<std::int64_t>& order) const;

 private:
  SamplerOptions options_;
  std::int64_t batches_per_epoch_ = 0;
};

}  // namespace dlbench::data
