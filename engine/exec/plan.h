// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans the memory of a lowered graph: lifetimes of activation slots, offsets in one arena, peak
// bytes.
#pragma once

#include "engine/backend/lowering.h"
#include "engine/graph/memory_plan.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlbench::exec {

/// In bytes: suits cuDNN and the widest vector registers; cuBLASLt requires it of its workspace.
constexpr std::size_t kArenaAlignment = 256;

/// Location and lifetime of one activation slot (indices of lowered nodes, both included).
struct SlotPlacement {
  backend::SlotId slot = backend::kNoSlot;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct Plan {
  std::vector<SlotPlacement> placements;    ///< activation slots that own memory
  std::vector<std::size_t> offset_of_slot;  ///< by slot id; kNotInArena for state and inputs
  std::size_t arena_bytes = 0;
  std::size_t lower_bound_bytes = 0;
  std::vector<std::size_t> scratch_bytes;  ///< by backend::NodeStream; after the arena
  std::size_t peak_bytes = 0;              ///< arena and scratch
  std::uint64_t hash = 0;                  ///< of graph, kernels, layouts and offsets

  static constexpr std::size_t kNotInArena = ~std::size_t{0};
};

/// Plans the memory of a lowered graph. Outputs and kept values stay alive to the end. Slots used
/// on a stream other than kCompute also live to the end of the step: reuse across streams would
/// need an event to order it.
[[nodiscard]] Plan make_plan(const graph::Graph& graph,
                             const backend::LoweredGraph& lowered,
                             const std::vector<graph::ValueId>& keep);

}  // namespace dlbench::exec
