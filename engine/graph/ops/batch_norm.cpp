// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Batch normalisation: Ioffe, Szegedy 2015, arXiv:1502.03167. Per channel over all other axes:
//   xhat = (x - mean) * rstd, rstd = 1 / sqrt(var + epsilon), y = xhat * gamma + beta
// with the biased variance. Saved for the backward pass: mean and rstd. With m elements per
// channel:
//   dbeta = sum(dy), dgamma = sum(dy xhat),
//   dx = gamma rstd (dy - dbeta / m - xhat dgamma / m)
// Running values: r = momentum r + (1 - momentum) batch, with the unbiased variance (times m /
// (m - 1); as in Keras' fused kernel, a single element counts with its variance of 0).
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

// Statistics and parameters are at least f32.
core::DType statistics_dtype(core::DType x) {
  return x == core::DType::kF64 ? core::DType::kF64 : core::DType::kF32;
}

void check_per_channel(const Graph& graph,
                       const Node& node,
                       std::size_t x_index,
                       std::size_t first,
                       std::size_t last) {
  const Value& x = input(graph, node, x_index);
  require(x.shape.rank() >= 2, graph, node, "x must be (N, C, ...)");
  for (std::size_t index = first; index <= last; ++index) {
    require(input(graph, node, index).shape == core::Shape{x.shape[1]},
            graph,
            node,
            "per-channel operands must be (C)");
    require(input(graph, node, index).dtype == statistics_dtype(x.dtype),
            graph,
            node,
            "per-channel operands must be f32");
  }
}

std::vector<OutputSpec> infer_train(const Graph& graph, const Node& node) {
  check_per_channel(graph, node, 0, 1, 2);
  const Value& x = input(graph, node, 0);
  require(x.shape.elements() > x.shape[1],
          graph,
          node,
          "training needs more than one value per channel for a variance: choose a larger image or "
          "batch");
  const core::Shape channels{x.shape[1]};
  const core::DType statistics = statistics_dtype(x.dtype);
  return {{x.dtype, x.shape, ""}, {statistics, channels, "_mean"}, {statistics, channels, "_rstd"}};
}

std::vector<OutputSpec> infer_inference(const Graph& graph, const Node& node) {
  check_per_channel(graph, node, 0, 1, 4);
  return like_input(graph, node, 0);
}

void differentiate_train(GradientContext& context) {
  const NodeId node = context.add_backward(OpKind::kBatchNormBackward,
                                           {context.output_gradient(),
                                            context.input(0),
                                            context.input(1),
                                            context.output(1),
                                            context.output(2)},
                                           context.node().attributes);
  const std::vector<ValueId> outputs = context.builder().graph().node(node).outputs;
  for (std::size_t index = 0; index < 3; ++index) {
    context.set(index, outputs.at(index));
  }
}

std::vector<OutputSpec> infer_backward(const Graph& graph, const Node& node) {
  const Value& dy = input(graph, node, 0);
  require(dy.shape == input(graph, node, 1).shape, graph, node, "dy must have the shape of x");
  check_per_channel(graph, node, 1, 2, 4);
  const core::Shape channels{dy.shape[1]};
  const core::DType statistics = statistics_dtype(dy.dtype);
  return {
      {dy.dtype, dy.shape, ""}, {statistics, channels, "_gamma"}, {statistics, channels, "_beta"}};
}

constexpr OpDef kBatchNormOps[] = {
    // mean 1, variance 2, normalise 4 operations per element
    {OpKind::kBatchNorm,
     "batch_norm",
     PrecisionClass::kFollow,
     infer_train,
     differentiate_train,
     pointwise_cost<7>},
    {OpKind::kBatchNormInference,
     "batch_norm_inference",
     PrecisionClass::kFollow,
     infer_inference,
     nullptr,
     pointwise_cost<2>},
    {OpKind::kBatchNormBackward,
     "batch_norm_backward",
     PrecisionClass::kFollow,
     infer_backward,
     nullptr,
     pointwise_cost<10>},
};

}  // namespace

std::span<const OpDef> batch_norm_ops() { return kBatchNormOps; }

}  // namespace dlbench::graph::ops
