// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/ops/operands.h"

#include "engine/core/error.h"

#include <string>

namespace dlbench::graph::ops {

const Value& input(const Graph& graph, const Node& node, std::size_t index) {
  return graph.value(node.inputs.at(index));
}

const Value& output(const Graph& graph, const Node& node, std::size_t index) {
  return graph.value(node.outputs.at(index));
}

void fail_shape(const Graph& graph, const Node& node, std::string_view what) {
  std::string message = std::string(name(node.op)) + " '" + node.name + "': " + std::string(what);
  message += "; inputs";
  for (const ValueId id : node.inputs) {
    const Value& value = graph.value(id);
    message += " " + value.name + " " + std::string(core::name(value.dtype)) + " " +
               value.shape.to_string();
  }
  throw core::Error(core::ErrorCode::kShape, message);
}

void require(bool condition, const Graph& graph, const Node& node, std::string_view what) {
  if (!condition) {
    fail_shape(graph, node, what);
  }
}

std::vector<OutputSpec> like_input(const Graph& graph, const Node& node, std::size_t index) {
  const Value& value = input(graph, node, index);
  return {{value.dtype, value.shape, ""}};
}

std::int64_t traffic_bytes(const Graph& graph, const Node& node) {
  const auto bytes_of = [&graph](ValueId id) {
    return static_cast<std::int64_t>(graph.value(id).dense_bytes());
  };
  std::int64_t bytes = 0;
  for (std::size_t index = 0; index < node.inputs.size(); ++index) {
    bytes += reads_input(node.op, index) ? bytes_of(node.inputs[index]) : 0;
  }
  for (const ValueId id : node.outputs) {
    bytes += bytes_of(id);
  }
  return bytes;
}

Cost copy_cost(const Graph& graph, const Node& node) {
  return {.macs = 0, .flop = 0, .bytes = traffic_bytes(graph, node)};
}

Cost no_cost(const Graph& /*graph*/, const Node& /*node*/) { return {}; }

}  // namespace dlbench::graph::ops
