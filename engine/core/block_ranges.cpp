// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/block_ranges.h"

#include "engine/core/check.h"
#include "engine/core/round_up.h"

namespace dlbench::core {

std::optional<std::size_t> BlockRanges::take(std::size_t bytes) {
  DLBENCH_CHECK(bytes > 0) << "a range of no bytes";
  std::size_t offset = 0;
  for (const auto& [begin, end] : taken_) {
    if (offset <= begin && bytes <= begin - offset) {
      break;
    }
    offset = round_up(end, alignment_);
  }
  if (offset > bytes_ || bytes > bytes_ - offset) {
    return std::nullopt;
  }
  taken_.emplace(offset, offset + bytes);
  return offset;
}

void BlockRanges::give_back(std::size_t offset) {
  const std::size_t freed = taken_.erase(offset);
  DLBENCH_CHECK(freed == 1) << "no range begins at " << offset;
}

}  // namespace dlbench::core
