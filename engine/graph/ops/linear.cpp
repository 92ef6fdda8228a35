// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Fully connected layer: y[n, o] = bias[o] + sum_i x[n, i] w[o, i];
// dx = dy w, dw = dy^T x, dbias = sum_n dy.
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

std::vector<OutputSpec> infer_linear(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  const Value& weight = input(graph, node, 1);
  require(x.shape.rank() == 2 && weight.shape.rank() == 2 && x.shape[1] == weight.shape[1],
          graph,
          node,
          "x must be (N, I) and weight (O, I)");
  require(x.dtype == weight.dtype, graph, node, "x and weight must have one dtype");
  if (node.inputs.size() > 2) {
    require(input(graph, node, 2).shape == core::Shape{weight.shape[0]},
            graph,
            node,
            "bias must be (O)");
    require(input(graph, node, 2).dtype == x.dtype, graph, node, "bias must have the dtype of x");
  }
  return {{x.dtype, core::Shape{x.shape[0], weight.shape[0]}, ""}};
}

void differentiate_linear(GradientContext& context) {
  const ValueId dy = context.output_gradient();
  const bool has_bias = context.node().inputs.size() > 2;
  if (context.needs(1) || (has_bias && context.needs(2))) {
    std::vector<ValueId> inputs{context.input(0), dy};
    if (has_bias) {
      inputs.push_back(context.input(2));
    }
    const NodeId node = context.add_backward(OpKind::kLinearBackwardWeights, inputs);
    const std::vector<ValueId> outputs = context.builder().graph().node(node).outputs;
    context.set(1, outputs.at(0));
    if (has_bias) {
      context.set(2, outputs.at(1));
    }
  }
  if (context.needs(0)) {
    context.set(0, context.add_backward_value(OpKind::kLinearBackwardData, {dy, context.input(1)}));
  }
}

std::vector<OutputSpec> infer_linear_backward_data(const Graph& graph, const Node& node) {
  const Value& dy = input(graph, node, 0);
  const Value& weight = input(graph, node, 1);
  require(dy.shape.rank() == 2 && dy.shape[1] == weight.shape[0], graph, node, "dy must be (N, O)");
  return {{dy.dtype, core::Shape{dy.shape[0], weight.shape[1]}, ""}};
}

// Inputs: x, dy, [bias, for its shape and dtype only].
std::vector<OutputSpec> infer_linear_backward_weights(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  const Value& dy = input(graph, node, 1);
  require(x.shape[0] == dy.shape[0], graph, node, "x and dy must have one batch size");
  std::vector<OutputSpec> outputs{{x.dtype, core::Shape{dy.shape[1], x.shape[1]}, ""}};
  if (node.inputs.size() > 2) {
    const Value& bias = input(graph, node, 2);
    outputs.push_back({bias.dtype, bias.shape, "_bias"});
  }
  return outputs;
}

Cost contraction(const Graph& graph, const Node& node, std::int64_t macs, std::int64_t additions) {
  return {.macs = macs, .flop = 2 * macs + additions, .bytes = traffic_bytes(graph, node)};
}

Cost cost_linear(const Graph& graph, const Node& node) {
  const core::Shape& y = output(graph, node, 0).shape;
  return contraction(graph,
                     node,
                     y.elements() * input(graph, node, 0).shape[1],
                     node.inputs.size() > 2 ? y.elements() : 0);
}

Cost cost_linear_backward_data(const Graph& graph, const Node& node) {
  return contraction(
      graph, node, output(graph, node, 0).shape.elements() * input(graph, node, 0).shape[1], 0);
}

Cost cost_linear_backward_weights(const Graph& graph, const Node& node) {
  const core::Shape& dy = input(graph, node, 1).shape;
  return contraction(graph,
                     node,
                     output(graph, node, 0).shape.elements() * dy[0],
                     node.inputs.size() > 2 ? dy.elements() : 0);
}

constexpr OpDef kLinearOps[] = {
    {OpKind::kLinear,
     "linear",
     PrecisionClass::kReduced,
     infer_linear,
     differentiate_linear,
     cost_linear},
    {OpKind::kLinearBackwardData,
     "linear_backward_data",
     PrecisionClass::kReduced,
     infer_linear_backward_data,
     nullptr,
     cost_linear_backward_data},
    {OpKind::kLinearBackwardWeights,
     "linear_backward_weights",
     PrecisionClass::kReduced,
     infer_linear_backward_weights,
     nullptr,
     cost_linear_backward_weights},
};

}  // namespace

std::span<const OpDef> linear_ops() { return kLinearOps; }

}  // namespace dlbench::graph::ops
