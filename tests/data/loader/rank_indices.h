// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a sampler gives one rank in an epoch.
#pragma once

#include "data/loader/sampler.h"

#include <cstdint>
#include <vector>

namespace dlbench::data::testing {

/// The rank's samples of one epoch in order: plan() and order() put together.
inline std::vector<std::int64_t> rank_indices(const Sampler& sampler, std::int64_t epoch) {
  std::vector<std::int64_t> all;
  sampler.order(epoch, all);
  std::vector<std::int64_t> mine;
  for (std::int64_t number = 0; number < sampler.batches_per_epoch(); ++number) {
    const BatchPlan batch = sampler.plan(number);
    const auto first = all.begin() + batch.global_begin + batch.local_begin;
    mine.insert(mine.end(), first, first + batch.local_samples);
  }
  return mine;
}

}  // namespace dlbench::data::testing
