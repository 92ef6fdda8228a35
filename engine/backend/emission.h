// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A lowered node in the making: what the op families of a backend fill in.
#pragma once

#include "engine/backend/lowering.h"
#include "engine/graph/graph.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend {

struct Emission {
  std::vector<graph::NodeId> covers{};  ///< the main one first; empty: a reorder
  /// Covered too, but done by nobody: views and other names. No bytes of theirs move.
  std::vector<graph::NodeId> absorbed{};
  std::string name{};  ///< empty: that of the main node
  std::vector<SlotId> reads{};
  std::vector<SlotId> writes{};
  /// May name slots whose content is kept: the planner shares no memory that is read later.
  std::vector<std::pair<SlotId, SlotId>> in_place{};
  std::size_t scratch_bytes = 0;
  std::string kernel_name{};
  bool repeatable = true;
};

/// LoweredNode::stream of nodes of this kind: all-reduces are on that of communication.
[[nodiscard]] NodeStream stream_of(graph::OpKind op);

/// The node with all but its kernel. Its cost is the sum over what it covers; but where a value
/// goes from one of those to another, its bytes are those of what it reads and writes, each once:
/// the value stays in registers. So are those of a reorder, which covers nothing. `slots`: of the
/// graph that is lowered.
[[nodiscard]] LoweredNode make_lowered_node(const graph::Graph& graph,
                                            const std::vector<Slot>& slots,
                                            Emission emission,
                                            graph::Phase phase);

}  // namespace dlbench::backend
