// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A pattern to send through a collective so that its result can be checked exactly: integers that
// differ by rank and element, and whose sums over any number of ranks stay so small that every
// element type, bf16 included, holds them and all partial sums without rounding.
#pragma once

#include "engine/core/dtype.h"

#include <cstddef>

namespace dlbench::comm {

/// The value of rank `rank` at `element`: in [-6, 6], with zero mean over 13 ranks.
[[nodiscard]] constexpr int pattern_value(std::size_t element, int rank) {
  return static_cast<int>((element % 13 * 7 + static_cast<std::size_t>(rank) * 5) % 13) - 6;
}

/// Elements [begin, end) of the array at `data`, of a type that reduce_elements() supports.
struct PatternRange {
  std::byte* data = nullptr;
  core::DType dtype = core::DType::kF32;
  std::size_t begin = 0;
  std::size_t end = 0;
};

void fill_pattern(const PatternRange& range, int rank);

/// Counts the elements that differ from `rank`'s pattern.
[[nodiscard]] std::size_t count_wrong_copies(const PatternRange& range, int rank);

/// Counts the elements that differ from the sum of the patterns of ranks 0 to `ranks` - 1.
[[nodiscard]] std::size_t count_wrong_sums(const PatternRange& range, int ranks);

}  // namespace dlbench::comm
