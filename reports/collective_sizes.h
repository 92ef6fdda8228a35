// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// At which sizes `comm` measures a collective, as nccl-tests choose them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dlbench::reports {

/// Sizes of the whole array in bytes: min_bytes, times step_factor and so on, up to max_bytes.
struct SizeSweep {
  double min_bytes = 1.0;
  double max_bytes = 1.0;    ///< not below min_bytes (checked)
  double step_factor = 2.0;  ///< 1.1 or more (checked)
};

/// Elements of `element_bytes` each of these sizes, ascending, each once, one at least.
[[nodiscard]] std::vector<std::size_t> element_counts(const SizeSweep& sweep,
                                                      std::size_t element_bytes);

/// Those of `counts` that `op` (all_reduce, reduce_scatter, all_gather, broadcast) is measured at
/// between `ranks` ranks, each once: for reduce_scatter and all_gather down to a multiple of the
/// ranks, one element each at least. With uneven shares NCCL has neither, and something else would
/// be measured under their names. ranks >= 1 (checked).
[[nodiscard]] std::vector<std::size_t> counts_of(std::string_view op,
                                                 const std::vector<std::size_t>& counts,
                                                 std::int64_t ranks);

}  // namespace dlbench::reports
