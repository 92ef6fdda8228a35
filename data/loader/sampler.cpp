// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/sampler.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/rng.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace dlbench::data {
namespace {

using core::Error;
using core::ErrorCode;

// Streams of the seed reserved for the shuffles; nothing else draws from them.
constexpr std::uint64_t kShuffleStreams = 0x5348'5546'0000'0000U;

void check_options(const SamplerOptions& options) {
  DLBENCH_CHECK(options.world >= 1 && options.rank >= 0 && options.rank < options.world)
      << "rank " << options.rank << " of " << options.world;
  if (options.batch_size < 1) {
    throw Error(ErrorCode::kUsage, fmt::format("batch size {}; wanted >= 1", options.batch_size));
  }
  if (options.dataset_size < 1) {
    throw Error(ErrorCode::kData, "the data set has no samples");
  }
  DLBENCH_CHECK(options.dataset_size <= std::numeric_limits<std::uint32_t>::max());
  // Checked by division: a huge batch size must not overflow.
  const bool too_large = options.global_batch_size > 0
                             ? options.global_batch_size > options.dataset_size
                             : options.batch_size > options.dataset_size / options.world;
  if (too_large && options.drop_last) {
    const std::int64_t largest = options.dataset_size / options.world;
    throw Error(ErrorCode::kUsage,
                fmt::format("batch size {} x {} rank(s) is larger than the data set's {} samples; "
                            "the largest that fits is {} per rank",
                            options.batch_size,
                            options.world,
                            options.dataset_size,
                            largest));
  }
}

}  // namespace

Sampler::Sampler(const SamplerOptions& options) : options_(options) {
  check_options(options);
  // Without drop_last a batch may be larger than the data set, which then is one batch.
  options_.batch_size = std::min(options.batch_size, options.dataset_size);
  if (options_.global_batch_size == 0) {
    options_.global_batch_size = options_.batch_size * options_.world;
  }
  const std::int64_t global = options_.global_batch_size;
  batches_per_epoch_ = options_.drop_last ? options_.dataset_size / global
                                          : (options_.dataset_size + global - 1) / global;
}

BatchPlan Sampler::plan(std::int64_t number) const {
  DLBENCH_CHECK(number >= 0 && number < batches_per_epoch_)
      << "batch " << number << " of " << batches_per_epoch_;
  const std::int64_t world = options_.world;
  const std::int64_t rank = options_.rank;
  BatchPlan plan;
  plan.global_begin = number * options_.global_batch_size;
  plan.global_samples =
      std::min(options_.global_batch_size, options_.dataset_size - plan.global_begin);
  // Where the samples do not divide, the first ranks get one more.
  const std::int64_t share = plan.global_samples / world;
  const std::int64_t more = plan.global_samples % world;
  plan.local_begin = rank * share + std::min(rank, more);
  plan.local_samples = share + (rank < more ? 1 : 0);
  return plan;
}

void Sampler::order(std::int64_t epoch, std::vector<std::int64_t>& order) const {
  order.resize(static_cast<std::size_t>(options_.dataset_size));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (!options_.shuffle) {
    return;
  }
  // Fisher and Yates' shuffle (Durstenfeld 1964, CACM algorithm 235). The stream's key has no rank:
  // all ranks must divide the same list.
  core::RandomStream random(options_.seed, kShuffleStreams + static_cast<std::uint64_t>(epoch));
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
  }
}

}  // namespace dlbench::data
