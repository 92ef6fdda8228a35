// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The sizes at which `comm` measures a collective, chosen as in nccl-tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dlbench::reports {

/// Sizes of the whole array in bytes: min_bytes times powers of step_factor, up to max_bytes.
struct SizeSweep {
  double min_bytes = 1.0;
  double max_bytes = 1.0;    ///< not below min_bytes (checked)
  double step_factor = 2.0;  ///< 1.1 or more (checked)
};

/// Returns the sizes in elements of `element_bytes` each: ascending, each once, at least one.
[[nodiscard]] std::vector<std::size_t> element_counts(const SizeSweep& sweep,
                                                      std::size_t element_bytes);

/// Returns the counts at which `op` (all_reduce, reduce_scatter, all_gather, broadcast) is measured
/// with `ranks` ranks, each once. For reduce_scatter and all_gather, rounds down to a multiple of
/// the ranks, at least one element each: NCCL has neither with uneven shares, so that something
/// else would be measured under their names. ranks >= 1 (checked).
[[nodiscard]] std::vector<std::size_t> counts_of(std::string_view op,
                                                 const std::vector<std::size_t>& counts,
                                                 std::int64_t ranks);

}  // namespace dlbench::reports
