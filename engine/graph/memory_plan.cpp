// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/memory_plan.h"

#include "engine/core/check.h"
#include "engine/core/round_up.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace dlbench::graph {
namespace {

bool overlap_in_time(const BlockRequest& a, const BlockRequest& b) {
  return a.first <= b.last && b.first <= a.last;
}

std::size_t lower_bound(const std::vector<BlockRequest>& requests, std::size_t alignment) {
  int last = -1;
  for (const auto& request : requests) {
    last = std::max(last, request.last);
  }
  std::vector<std::size_t> alive(static_cast<std::size_t>(last + 1), 0);
  for (const auto& request : requests) {
    for (int step = request.first; step <= request.last; ++step) {
      alive[static_cast<std::size_t>(step)] += core::round_up(request.bytes, alignment);
    }
  }
  return alive.empty() ? 0 : *std::max_element(alive.begin(), alive.end());
}

}  // namespace

MemoryPlan plan_memory(const std::vector<BlockRequest>& requests, std::size_t alignment) {
  for (const auto& request : requests) {
    DLBENCH_CHECK(request.first >= 0 && request.first <= request.last)
        << request.first << " to " << request.last;
  }
  std::vector<std::size_t> by_size(requests.size());
  std::iota(by_size.begin(), by_size.end(), 0U);
  std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
    return requests[a].bytes > requests[b].bytes;
  });

  MemoryPlan plan;
  plan.offsets.assign(requests.size(), 0);
  std::vector<std::size_t> placed;  // ascending by offset
  for (const std::size_t index : by_size) {
    const std::size_t bytes = core::round_up(requests[index].bytes, alignment);
    std::size_t offset = 0;
    for (const std::size_t other : placed) {
      if (!overlap_in_time(requests[index], requests[other])) {
        continue;
      }
      if (offset + bytes <= plan.offsets[other]) {
        break;
      }
      offset =
          std::max(offset, plan.offsets[other] + core::round_up(requests[other].bytes, alignment));
    }
    plan.offsets[index] = offset;
    plan.peak_bytes = std::max(plan.peak_bytes, offset + bytes);
    const auto position = std::upper_bound(
        placed.begin(), placed.end(), offset, [&](std::size_t value, std::size_t other) {
          return value < plan.offsets[other];
        });
    placed.insert(position, index);
  }
  plan.lower_bound_bytes = lower_bound(requests, alignment);
  return plan;
}

}  // namespace dlbench::graph
