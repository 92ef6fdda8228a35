// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/passes.h"

#include <string>

namespace dlbench::graph {
namespace {

std::string_view colour(Phase phase) {
  switch (phase) {
    case Phase::kForward:
      return "#cfe8ff";
    case Phase::kLoss:
      return "#ffe9b3";
    case Phase::kBackward:
      return "#ffd0d0";
    case Phase::kAllReduce:
      return "#e0d0ff";
    case Phase::kOptimizer:
      return "#d5f5d5";
  }
  return "white";
}

}  // namespace

std::string to_dot(const Graph& graph) {
  std::string dot = "digraph dlbench {\n  node [shape=box, style=filled];\n";
  for (const Node& node : graph.nodes()) {
    std::string label = node.name + "\\n" + std::string(name(node.op));
    if (!node.outputs.empty()) {
      label += " " + graph.value(node.outputs.front()).shape.to_string();
    }
    dot += "  n" + std::to_string(node.id) + " [label=\"" + label + "\", fillcolor=\"" +
           std::string(colour(node.phase)) + "\"];\n";
    for (const ValueId id : node.inputs) {
      if (const NodeId producer = graph.value(id).producer; producer != kNoNode) {
        dot += "  n" + std::to_string(producer) + " -> n" + std::to_string(node.id) + ";\n";
      }
    }
  }
  return dot + "}\n";
}

}  // namespace dlbench::graph
