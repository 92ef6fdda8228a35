// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Batch-wide Dice loss, in two steps so that the sums can be all-reduced between them: with
// I = sum(y p), P = sum(p), Y = sum(y), s = smooth, D = Y + P + s:
//   loss = 1 - (2 I + s) / D,  dloss/dp = -(2 y D - (2 I + s)) / D^2.
// Milletari et al. 2016, arXiv:1606.04797, with unsquared sums and smoothing as in the Keras
// models. Log-softmax: y = x - log sum exp x, dx = dy - exp(y) sum dy. NLL: -mean over the batch of
// logp[n, label[n]]; dlogp = -1 / N at the label.
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

const core::Shape kScalarShape{};

core::DType loss_dtype(core::DType x) {
  return x == core::DType::kF64 ? core::DType::kF64 : core::DType::kF32;
}

void check_mask(const Graph& graph, const Node& node, const Value& p, const Value& mask) {
  require(p.shape.rank() == 4 && p.shape[1] == 1, graph, node, "p must be (N, 1, H, W)");
  require(mask.shape == (core::Shape{p.shape[0], p.shape[2], p.shape[3]}),
          graph,
          node,
          "the mask must be (N, H, W)");
  require(mask.dtype == core::DType::kU8, graph, node, "the mask must be u8");
}

void check_labels(const Graph& graph, const Node& node, const Value& logp, const Value& label) {
  require(logp.shape.rank() == 2, graph, node, "logp must be (N, K)");
  require(label.shape == core::Shape{logp.shape[0]} && label.dtype == core::DType::kI32,
          graph,
          node,
          "labels must be i32 (N)");
}

std::vector<OutputSpec> infer_dice_sums(const Graph& graph, const Node& node) {
  check_mask(graph, node, input(graph, node, 0), input(graph, node, 1));
  return {{loss_dtype(input(graph, node, 0).dtype), core::Shape{3}, ""}};
}

// The gradient with respect to p needs dloss, which arrives at the dice_loss node: its rule passes
// dloss through as the "gradient" of the sums, and this rule completes the chain.
void differentiate_dice_sums(GradientContext& context) {
  context.set(
      0,
      context.add_backward_value(
          OpKind::kDiceBackward,
          {context.output_gradient(), context.input(1), context.output(0), context.input(0)},
          context.node().attributes));
}

std::vector<OutputSpec> infer_dice_loss(const Graph& graph, const Node& node) {
  require(input(graph, node, 0).shape == core::Shape{3}, graph, node, "sums must be (3)");
  return {{input(graph, node, 0).dtype, kScalarShape, ""}};
}

void differentiate_dice_loss(GradientContext& context) {
  context.set(0, context.output_gradient());
}

std::vector<OutputSpec> infer_dice_backward(const Graph& graph, const Node& node) {
  check_mask(graph, node, input(graph, node, 3), input(graph, node, 1));
  return like_input(graph, node, 3);
}

std::vector<OutputSpec> infer_log_softmax(const Graph& graph, const Node& node) {
  require(input(graph, node, 0).shape.rank() == 2, graph, node, "x must be (N, K)");
  return like_input(graph, node, 0);
}

void differentiate_log_softmax(GradientContext& context) {
  context.set(0,
              context.add_backward_value(OpKind::kLogSoftmaxBackward,
                                         {context.output_gradient(), context.output(0)}));
}

std::vector<OutputSpec> infer_nll(const Graph& graph, const Node& node) {
  check_labels(graph, node, input(graph, node, 0), input(graph, node, 1));
  return {{loss_dtype(input(graph, node, 0).dtype), kScalarShape, ""}};
}

void differentiate_nll(GradientContext& context) {
  context.set(
      0,
      context.add_backward_value(OpKind::kNllBackward,
                                 {context.output_gradient(), context.input(1), context.input(0)}));
}

std::vector<OutputSpec> infer_nll_backward(const Graph& graph, const Node& node) {
  check_labels(graph, node, input(graph, node, 2), input(graph, node, 1));
  return like_input(graph, node, 2);
}

constexpr OpDef kLossOps[] = {
    {OpKind::kDiceSums,
     "dice_sums",
     PrecisionClass::kFloat32,
     infer_dice_sums,
     differentiate_dice_sums,
     reduction_cost<4>},
    {OpKind::kDiceLoss,
     "dice_loss",
     PrecisionClass::kFloat32,
     infer_dice_loss,
     differentiate_dice_loss,
     reduction_cost<2>},
    {OpKind::kDiceBackward,
     "dice_backward",
     PrecisionClass::kFloat32,
     infer_dice_backward,
     nullptr,
     pointwise_cost<2>},
    {OpKind::kLogSoftmax,
     "log_softmax",
     PrecisionClass::kFloat32,
     infer_log_softmax,
     differentiate_log_softmax,
     pointwise_cost<4>},
    {OpKind::kLogSoftmaxBackward,
     "log_softmax_backward",
     PrecisionClass::kFloat32,
     infer_log_softmax,
     nullptr,
     pointwise_cost<4>},
    {OpKind::kNllLoss,
     "nll_loss",
     PrecisionClass::kFloat32,
     infer_nll,
     differentiate_nll,
     pointwise_cost<1>},
    {OpKind::kNllBackward,
     "nll_backward",
     PrecisionClass::kFloat32,
     infer_nll_backward,
     nullptr,
     pointwise_cost<1>},
};

}  // namespace

std::span<const OpDef> loss_ops() { return kLossOps; }

}  // namespace dlbench::graph::ops
