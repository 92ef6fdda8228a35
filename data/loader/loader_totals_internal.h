// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The sums behind LoaderStats, as integers so that the difference of two is exact.
#pragma once

#include "data/loader/prefetch_loader.h"

#include <array>
#include <cstdint>

namespace dlbench::data::detail {

/// Sums since the loader was made.
struct LoaderTotals {
  std::array<std::int64_t, kStages> stage_ns{};
  std::int64_t idle_ns = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t bytes_read = 0;
  std::int64_t samples_loaded = 0;
  std::int64_t wait_ns = 0;
  std::int64_t samples_delivered = 0;
  std::int64_t batches_delivered = 0;
  std::int64_t samples_replaced = 0;
};

/// Returns what was done between `base` and `now`; leaves the queue and the skipped samples empty.
[[nodiscard]] LoaderStats stats_between(const LoaderTotals& base, const LoaderTotals& now);

}  // namespace dlbench::data::detail
