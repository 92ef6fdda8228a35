// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Places blocks with known lifetimes in one arena. Independent of graphs and devices.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dlbench::graph {

/// A block of memory needed from step `first` to step `last`, both included.
struct BlockRequest {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< one per request, multiples of the alignment
  std::size_t peak_bytes = 0;        ///< size of the arena
  std::size_t lower_bound_bytes =
      0;  ///< largest sum of blocks alive at one step; no plan is smaller
};

/// Greedy by size: largest blocks first, each at the lowest offset free over its whole lifetime.
/// Pisarchyk, Lee 2020, arXiv:2001.03288, "Greedy by Size for Offset Calculation".
[[nodiscard]] MemoryPlan plan_memory(const std::vector<BlockRequest>& requests,
                                     std::size_t alignment);

}  // namespace dlbench::graph
