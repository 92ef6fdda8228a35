// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading and checking operands inside shape rules and cost rules.
#pragma once

#include "engine/graph/op_def.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace dlbench::graph::ops {

/// The value of input `index` of a node.
[[nodiscard]] const Value& input(const Graph& graph, const Node& node, std::size_t index);
[[nodiscard]] const Value& output(const Graph& graph, const Node& node, std::size_t index);

/// Throws core::Error(kShape): "<op> <node>: <what>" followed by the operands' shapes.
[[noreturn]] void fail_shape(const Graph& graph, const Node& node, std::string_view what);

/// fail_shape() unless the condition holds.
void require(bool condition, const Graph& graph, const Node& node, std::string_view what);

/// One output with the dtype and shape of input `index`.
[[nodiscard]] std::vector<OutputSpec> like_input(const Graph& graph,
                                                 const Node& node,
                                                 std::size_t index);

/// Sum in bytes of all outputs and of the inputs that are read.
[[nodiscard]] std::int64_t traffic_bytes(const Graph& graph, const Node& node);

/// Cost of an op that does `flop_per_element` operations per element of its first output.
template <int kFlopPerElement>
[[nodiscard]] Cost pointwise_cost(const Graph& graph, const Node& node) {
  return {.macs = 0,
          .flop = kFlopPerElement * output(graph, node, 0).shape.elements(),
          .bytes = traffic_bytes(graph, node)};
}

/// Cost of a reduction: kFlopPerElement for each element of the first input.
template <int kFlopPerElement>
[[nodiscard]] Cost reduction_cost(const Graph& graph, const Node& node) {
  return {.macs = 0,
          .flop = kFlopPerElement * input(graph, node, 0).shape.elements(),
          .bytes = traffic_bytes(graph, node)};
}

/// Cost of an op that only moves data.
[[nodiscard]] Cost copy_cost(const Graph& graph, const Node& node);

/// Cost of an op that leaves the data where it is.
[[nodiscard]] Cost no_cost(const Graph& graph, const Node& node);

}  // namespace dlbench::graph::ops
