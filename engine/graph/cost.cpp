// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"

namespace dlbench::graph {

GraphTotals totals(const Graph& graph) {
  GraphTotals sum;
  for (const Value& value : graph.values()) {
    if (value.storage == Storage::kParameter) {
      sum.trainable_parameters += value.shape.elements();
    } else if (value.storage == Storage::kBuffer) {
      sum.buffers += value.shape.elements();
    }
  }
  for (const Node& node : graph.nodes()) {
    const Cost cost = op_def(node.op).cost(graph, node);
    if (node.phase == Phase::kForward) {
      sum.forward_macs += cost.macs;
    } else if (node.phase == Phase::kOptimizer) {
      sum.optimizer_flop += cost.flop;
    }
    sum.training_flop += cost.flop;
    sum.bytes += cost.bytes;
  }
  return sum;
}

}  // namespace dlbench::graph
