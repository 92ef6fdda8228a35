// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Global average pooling (N, C, ...) -> (N, C), dx = dy / elements; and max pooling without
// padding, whose backward pass adds dy at the saved position of the maximum (the first on ties).
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

std::vector<OutputSpec> infer_global_avg(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  require(x.shape.rank() >= 3, graph, node, "x must be (N, C, ...)");
  return {{x.dtype, core::Shape{x.shape[0], x.shape[1]}, ""}};
}

std::vector<OutputSpec> infer_global_avg_backward(const Graph& graph, const Node& node) {
  const Value& dy = input(graph, node, 0);
  const Value& x = input(graph, node, 1);
  require(dy.shape == (core::Shape{x.shape[0], x.shape[1]}), graph, node, "dy must be (N, C)");
  return like_input(graph, node, 1);
}

void differentiate_global_avg(GradientContext& context) {
  context.set(0,
              context.add_backward_value(OpKind::kGlobalAvgPoolBackward,
                                         {context.output_gradient(), context.input(0)}));
}

std::vector<OutputSpec> infer_max(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  const auto& pool = node.as<PoolAttributes>();
  require(x.shape.rank() == 4 || x.shape.rank() == 5, graph, node, "x must have rank 4 or 5");
  core::Shape y = x.shape;
  std::int64_t window = 1;
  for (std::size_t axis = 0; axis + 2 < x.shape.rank(); ++axis) {
    const std::int64_t extent = x.shape[axis + 2];
    require(pool.kernel[axis] >= 1 && pool.stride[axis] >= 1,
            graph,
            node,
            "window and stride must be at least 1");
    require(extent >= pool.kernel[axis], graph, node, "the window is larger than the input");
    y = y.with(axis + 2, (extent - pool.kernel[axis]) / pool.stride[axis] + 1);
    window *= pool.kernel[axis];
  }
  require(window <= 256, graph, node, "windows above 256 elements do not fit the u8 position");
  return {{x.dtype, y, ""}, {core::DType::kU8, y, "_argmax"}};
}

void differentiate_max(GradientContext& context) {
  context.set(
      0,
      context.add_backward_value(OpKind::kMaxPoolBackward,
                                 {context.output_gradient(), context.output(1), context.input(0)},
                                 context.node().attributes));
}

std::vector<OutputSpec> infer_max_backward(const Graph& graph, const Node& node) {
  require(input(graph, node, 0).shape == input(graph, node, 1).shape,
          graph,
          node,
          "dy and argmax must have one shape");
  return like_input(graph, node, 2);
}

constexpr OpDef kPoolingOps[] = {
    {OpKind::kGlobalAvgPool,
     "global_avg_pool",
     PrecisionClass::kFollow,
     infer_global_avg,
     differentiate_global_avg,
     reduction_cost<1>},
    {OpKind::kGlobalAvgPoolBackward,
     "global_avg_pool_backward",
     PrecisionClass::kFollow,
     infer_global_avg_backward,
     nullptr,
     pointwise_cost<1>},
    {OpKind::kMaxPool,
     "max_pool",
     PrecisionClass::kFollow,
     infer_max,
     differentiate_max,
     reduction_cost<1>},
    {OpKind::kMaxPoolBackward,
     "max_pool_backward",
     PrecisionClass::kFollow,
     infer_max_backward,
     nullptr,
     copy_cost},
};

}  // namespace

std::span<const OpDef> pooling_ops() { return kPoolingOps; }

}  // namespace dlbench::graph::ops
