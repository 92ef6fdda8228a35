// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A lowered node under construction: what the op families of a backend fill in.
#pragma once

#include "engine/backend/lowering.h"
#include "engine/graph/graph.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend {

struct Emission {
  std::vector<graph::NodeId> covers{};  ///< the main node first; empty: a reorder
  /// Also covered, but needing no work (views and aliases): they move no bytes.
  std::vector<graph::NodeId> absorbed{};
  std::string name{};  ///< empty: the name of the main node
  std::vector<SlotId> reads{};
  std::vector<SlotId> writes{};
  /// May contain slots that must be kept: the planner does not share memory that is read later.
  std::vector<std::pair<SlotId, SlotId>> in_place{};
  std::size_t scratch_bytes = 0;
  std::string kernel_name{};
  bool repeatable = true;
};

/// The LoweredNode::stream of nodes of this kind: all-reduces are on the communication stream.
[[nodiscard]] NodeStream stream_of(graph::OpKind op);

/// Makes the node, except its kernel. Its cost is the sum over the nodes it covers. Its bytes are
/// instead those of the slots it reads and writes, each once, if one covered node passes a value to
/// another (which stays in registers), if it works on copies, and for a reorder, which covers
/// nothing. `slots`: of the graph being lowered.
[[nodiscard]] LoweredNode make_lowered_node(const graph::Graph& graph,
                                            const std::vector<Slot>& slots,
                                            Emission emission,
                                            graph::Phase phase);

}  // namespace dlbench::backend
