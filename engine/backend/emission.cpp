// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/emission.h"

#include "engine/graph/op_def.h"

namespace dlbench::backend {

LoweredNode make_lowered_node(const graph::Graph& graph, Emission emission, graph::Phase phase) {
  LoweredNode node;
  node.phase = phase;
  node.is_reorder = emission.covers.empty();
  if (node.is_reorder) {
    node.op = graph::OpKind::kCast;
  } else {
    const graph::Node& main = graph.node(emission.covers.front());
    node.op = main.op;
    node.name = main.name;
  }
  if (!emission.name.empty()) {
    node.name = std::move(emission.name);
  }
  for (const graph::NodeId covered : emission.covers) {
    const graph::Node& logical = graph.node(covered);
    const graph::Cost cost = graph::op_def(logical.op).cost(graph, logical);
    node.cost.macs += cost.macs;
    node.cost.flop += cost.flop;
    node.cost.bytes += cost.bytes;
  }
  node.covers = std::move(emission.covers);
  node.reads = std::move(emission.reads);
  node.writes = std::move(emission.writes);
  node.in_place = std::move(emission.in_place);
  node.scratch_bytes = emission.scratch_bytes;
  node.kernel_name = std::move(emission.kernel_name);
  node.repeatable = emission.repeatable;
  return node;
}

}  // namespace dlbench::backend
