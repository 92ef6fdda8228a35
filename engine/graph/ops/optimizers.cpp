// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Optimizer nodes have no outputs: they update state in place. The rules for one element are in
// engine/backend/optimizer_math.h. updates = parameters, then the first state of each, then the
// second. A step with found_inf changes none of them: Micikevicius et al. 2018, arXiv:1710.03740,
// section 3.2.
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

void require_found_inf(const Graph& graph, const Node& node, const Value& value) {
  require(value.dtype == core::DType::kF32 && value.shape.rank() == 0,
          graph,
          node,
          "found_inf must be an f32 scalar");
}

std::vector<OutputSpec> infer_advance(const Graph& graph, const Node& node) {
  require(node.updates.size() == 2 && graph.value(node.updates[0]).dtype == core::DType::kI64 &&
              graph.value(node.updates[1]).dtype == core::DType::kF64 &&
              graph.value(node.updates[1]).shape == core::Shape{8},
          graph,
          node,
          "updates must be step i64 and coefficients f64 (8)");
  if (!node.inputs.empty()) {
    require(node.inputs.size() == 1, graph, node, "the only input is found_inf");
    require_found_inf(graph, node, input(graph, node, 0));
  }
  return {};
}

template <std::size_t kStates>
std::vector<OutputSpec> infer_update(const Graph& graph, const Node& node) {
  const std::size_t parameters = gradient_count(node);
  const std::size_t plain = kFirstGradient + parameters;
  require(parameters > 0 && node.updates.size() == parameters * (1 + kStates) &&
              (node.inputs.size() == plain || node.inputs.size() == plain + 1),
          graph,
          node,
          "inputs must be learning_rate, coefficients, gradients, [found_inf]; updates parameters "
          "and states");
  if (reads_found_inf(node)) {
    require_found_inf(graph, node, input(graph, node, plain));
  }
  for (std::size_t index = 0; index < node.updates.size(); ++index) {
    const Value& gradient = input(graph, node, kFirstGradient + index % parameters);
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
  for (std::size_t index = 0; index < gradient_count(node); ++index) {
    const Value& gradient = input(graph, node, kFirstGradient + index);
    const std::int64_t count = gradient.shape.elements();
    elements += count;
    // gradient read; parameter and states read and written
    bytes += count * static_cast<std::int64_t>(core::size_of(gradient.dtype)) * (3 + 2 * kStates);
  }
  return {.macs = 0, .flop = kFlopPerElement * elements, .bytes = bytes};
}

constexpr OpDef kOptimizerOps[] = {
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

std::span<const OpDef> optimizer_ops() { return kOptimizerOps; }

}  // namespace dlbench::graph::ops
