// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops, the per-channel gate and the per-channel bias.
//   relu: dx = dy (y > 0); sigmoid: dx = dy y (1 - y); both save only their output y.
//   add: both gradients are dy. multiply: da = dy b, db = dy a.
//   scale_channels y[n, c, ...] = x[n, c, ...] gate[n, c]: dx = dy gate, dgate[n, c] = sum dy x.
//   add_bias y[n, c, ...] = x[n, c, ...] + bias[c]: dx = dy, dbias[c] = sum over n and space of dy.
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

std::vector<OutputSpec> infer_unary(const Graph& graph, const Node& node) {
  return like_input(graph, node, 0);
}

std::vector<OutputSpec> infer_binary(const Graph& graph, const Node& node) {
  const Value& a = input(graph, node, 0);
  const Value& b = input(graph, node, 1);
  require(a.shape == b.shape, graph, node, "both operands must have one shape");
  require(a.dtype == b.dtype, graph, node, "both operands must have one dtype");
  return like_input(graph, node, 0);
}

std::vector<OutputSpec> infer_gate(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  require(x.shape.rank() >= 3, graph, node, "x must be (N, C, ...)");
  require(input(graph, node, 1).shape == (core::Shape{x.shape[0], x.shape[1]}),
          graph,
          node,
          "the gate must be (N, C)");
  require(x.dtype == input(graph, node, 1).dtype, graph, node, "x and gate must have one dtype");
  return like_input(graph, node, 0);
}

std::vector<OutputSpec> infer_gate_backward(const Graph& graph, const Node& node) {
  const Value& dy = input(graph, node, 0);
  require(dy.shape == input(graph, node, 1).shape, graph, node, "dy must have the shape of x");
  return {{dy.dtype, core::Shape{dy.shape[0], dy.shape[1]}, ""}};
}

std::vector<OutputSpec> infer_add_bias(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  const Value& bias = input(graph, node, 1);
  require(x.shape.rank() >= 3, graph, node, "x must be (N, C, ...)");
  require(bias.shape == core::Shape{x.shape[1]}, graph, node, "bias must be (C)");
  require(bias.dtype == x.dtype, graph, node, "bias must have the dtype of x");
  return like_input(graph, node, 0);
}

std::vector<OutputSpec> infer_add_bias_backward(const Graph& graph, const Node& node) {
  const Value& dy = input(graph, node, 0);
  require(dy.shape.rank() >= 3, graph, node, "dy must be (N, C, ...)");
  return {{dy.dtype, core::Shape{dy.shape[1]}, ""}};
}

void differentiate_relu(GradientContext& context) {
  context.set(0,
              context.add_backward_value(OpKind::kReluBackward,
                                         {context.output_gradient(), context.output(0)}));
}

void differentiate_sigmoid(GradientContext& context) {
  context.set(0,
              context.add_backward_value(OpKind::kSigmoidBackward,
                                         {context.output_gradient(), context.output(0)}));
}

void differentiate_add(GradientContext& context) {
  context.set(0, context.output_gradient());
  context.set(1, context.output_gradient());
}

void differentiate_multiply(GradientContext& context) {
  for (std::size_t index = 0; index < 2; ++index) {
    if (context.needs(index)) {
      context.set(index,
                  context.add_backward_value(
                      OpKind::kMultiply, {context.output_gradient(), context.input(1 - index)}));
    }
  }
}

void differentiate_add_bias(GradientContext& context) {
  context.set(0, context.output_gradient());
  if (context.needs(1)) {
    context.set(1,
                context.add_backward_value(OpKind::kAddBiasBackward, {context.output_gradient()}));
  }
}

void differentiate_gate(GradientContext& context) {
  if (context.needs(0)) {
    context.set(0,
                context.add_backward_value(OpKind::kScaleChannels,
                                           {context.output_gradient(), context.input(1)}));
  }
  if (context.needs(1)) {
    context.set(1,
                context.add_backward_value(OpKind::kScaleChannelsBackwardGate,
                                           {context.output_gradient(), context.input(0)}));
  }
}

constexpr OpDef kPointwiseOps[] = {
    {OpKind::kRelu,
     "relu",
     PrecisionClass::kFollow,
     infer_unary,
     differentiate_relu,
     pointwise_cost<1>},
    {OpKind::kReluBackward,
     "relu_backward",
     PrecisionClass::kFollow,
     infer_binary,
     nullptr,
     pointwise_cost<1>},
    {OpKind::kSigmoid,
     "sigmoid",
     PrecisionClass::kFollow,
     infer_unary,
     differentiate_sigmoid,
     pointwise_cost<4>},
    {OpKind::kSigmoidBackward,
     "sigmoid_backward",
     PrecisionClass::kFollow,
     infer_binary,
     nullptr,
     pointwise_cost<3>},
    {OpKind::kAdd,
     "add",
     PrecisionClass::kFollow,
     infer_binary,
     differentiate_add,
     pointwise_cost<1>},
    {OpKind::kMultiply,
     "multiply",
     PrecisionClass::kFollow,
     infer_binary,
     differentiate_multiply,
     pointwise_cost<1>},
    {OpKind::kAddBias,
     "add_bias",
     PrecisionClass::kFollow,
     infer_add_bias,
     differentiate_add_bias,
     pointwise_cost<1>},
    {OpKind::kAddBiasBackward,
     "add_bias_backward",
     PrecisionClass::kFollow,
     infer_add_bias_backward,
     nullptr,
     reduction_cost<1>},
    {OpKind::kScaleChannels,
     "scale_channels",
     PrecisionClass::kFollow,
     infer_gate,
     differentiate_gate,
     pointwise_cost<1>},
    {OpKind::kScaleChannelsBackwardGate,
     "scale_channels_backward_gate",
     PrecisionClass::kFollow,
     infer_gate_backward,
     nullptr,
     reduction_cost<2>},
};

}  // namespace

std::span<const OpDef> pointwise_ops() { return kPointwiseOps; }

}  // namespace dlbench::graph::ops
