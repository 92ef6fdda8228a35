// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/collective_sizes.h"

#include "engine/core/check.h"

#include <algorithm>
#include <cmath>

namespace dlbench::reports {

std::vector<std::size_t> element_counts(const SizeSweep& sweep, std::size_t element_bytes) {
  DLBENCH_CHECK(1.0 <= sweep.min_bytes && sweep.min_bytes <= sweep.max_bytes)
      << sweep.min_bytes << " to " << sweep.max_bytes << " bytes";
  DLBENCH_CHECK(sweep.step_factor >= 1.1 && element_bytes > 0)
      << "steps of " << sweep.step_factor << ", elements of " << element_bytes;
  std::vector<std::size_t> counts;
  // Allows half a byte, so that a power just above it by rounding still counts as the largest size.
  for (double bytes = sweep.min_bytes; bytes < sweep.max_bytes + 0.5; bytes *= sweep.step_factor) {
    const double elements = std::floor(bytes / static_cast<double>(element_bytes));
    const auto count = static_cast<std::size_t>(std::max(1.0, elements));
    if (counts.empty() || counts.back() != count) {
      counts.push_back(count);
    }
  }
  return counts;
}

std::vector<std::size_t> counts_of(std::string_view op,
                                   const std::vector<std::size_t>& counts,
                                   std::int64_t ranks) {
  DLBENCH_CHECK(ranks >= 1) << ranks << " ranks";
  if (op != "reduce_scatter" && op != "all_gather") {
    return counts;
  }
  std::vector<std::size_t> even;
  const auto shares = static_cast<std::size_t>(ranks);
  for (const std::size_t count : counts) {
    const std::size_t whole = std::max<std::size_t>(count / shares, 1) * shares;
    if (even.empty() || even.back() != whole) {
      even.push_back(whole);
    }
  }
  return even;
}

}  // namespace dlbench::reports
