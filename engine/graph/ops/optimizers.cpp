// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Optimizer nodes have no outputs: they update state in place. The rules for one element stand in
// engine/backend/optimizer_math.h. updates = parameters, then the first state of each, then the
// second.
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

std::vector<OutputSpec> infer_advance(const Graph& graph, const Node& node) {
  require(node.updates.size() == 2 && graph.value(node.updates[0]).dtype == core::DType::kI64 &&
              graph.value(node.updates[1]).dtype == core::DType::kF64 &&
              graph.value(node.updates[1]).shape == core::Shape{8},
          graph,
          node,
          "updates must be step i64 and coefficients f64 (8)");
  return {};
}

template <std::size_t kStates>
std::vector<OutputSpec> infer_update(const Graph& graph, const Node& node) {
  const std::size_t parameters = node.inputs.size() - 2;
  require(node.inputs.size() > 2 && node.updates.size() == parameters * (1 + kStates),
          graph,
          node,
          "inputs must be learning_rate, coefficients, gradients; updates parameters and states");
  for (std::size_t index = 0; index < node.updates.size(); ++index) {
    const Value& gradient = input(graph, node, 2 + index % parameters);
    require(graph.value(node.updates[index]).shape == gradient.shape,
            graph,
            node,
            "parameters, gradients and states must have one shape");
  }
  return {};
}

template <int kFlopPerElement, int kStates>
Cost cost_update(const Graph& graph, const Node& node) {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  for (std::size_t index = 2; index < node.inputs.size(); ++index) {
    const Value& gradient = input(graph, node, index);
    const std::int64_t count = gradient.shape.elements();
    elements += count;
    // gradient read; parameter and states read and written
    bytes += count * static_cast<std::int64_t>(core::size_of(gradient.dtype)) * (3 + 2 * kStates);
  }
  return {.macs = 0, .flop = kFlopPerElement * elements, .bytes = bytes};
}

constexpr OpDef kOps[] = {
    {OpKind::kOptimizerAdvance,
     "optimizer_advance",
     PrecisionClass::kNeutral,
     infer_advance,
     nullptr,
     no_cost},
    {OpKind::kSgd, "sgd", PrecisionClass::kNeutral, infer_update<1>, nullptr, cost_update<6, 1>},
    {OpKind::kAdam, "adam", PrecisionClass::kNeutral, infer_update<2>, nullptr, cost_update<14, 2>},
    {OpKind::kNadam,
     "nadam",
     PrecisionClass::kNeutral,
     infer_update<2>,
     nullptr,
     cost_update<14, 2>},
    {OpKind::kAdadelta,
     "adadelta",
     PrecisionClass::kNeutral,
     infer_update<2>,
     nullptr,
     cost_update<15, 2>},
};

}  // namespace

std::span<const OpDef> optimizer_ops() { return kOps; }

}  // namespace dlbench::graph::ops
