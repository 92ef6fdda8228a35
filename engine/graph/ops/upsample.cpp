// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Nearest-neighbour upsampling by integer factors: y[o] = x[floor(o / factor)]; dx is the sum of dy
// over the outputs that copied the input.
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

core::Shape upsampled(const core::Shape& x, const UpsampleAttributes& attributes) {
  core::Shape y = x;
  for (std::size_t axis = 0; axis + 2 < x.rank(); ++axis) {
    y = y.with(axis + 2, x[axis + 2] * attributes.factor[axis]);
  }
  return y;
}

std::vector<OutputSpec> infer_nearest(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  require(x.shape.rank() == 4 || x.shape.rank() == 5, graph, node, "x must have rank 4 or 5");
  for (std::size_t axis = 0; axis + 2 < x.shape.rank(); ++axis) {
    require(
        node.as<UpsampleAttributes>().factor[axis] >= 1, graph, node, "factors must be at least 1");
  }
  return {{x.dtype, upsampled(x.shape, node.as<UpsampleAttributes>()), ""}};
}

void differentiate_nearest(GradientContext& context) {
  context.set(0,
              context.add_backward_value(OpKind::kUpsampleNearestBackward,
                                         {context.output_gradient(), context.input(0)},
                                         context.node().attributes));
}

std::vector<OutputSpec> infer_nearest_backward(const Graph& graph, const Node& node) {
  require(input(graph, node, 0).shape ==
              upsampled(input(graph, node, 1).shape, node.as<UpsampleAttributes>()),
          graph,
          node,
          "dy must have the shape of y");
  return like_input(graph, node, 1);
}

constexpr OpDef kUpsampleOps[] = {
    {OpKind::kUpsampleNearest,
     "upsample_nearest",
     PrecisionClass::kFollow,
     infer_nearest,
     differentiate_nearest,
     copy_cost},
    {OpKind::kUpsampleNearestBackward,
     "upsample_nearest_backward",
     PrecisionClass::kFollow,
     infer_nearest_backward,
     nullptr,
     reduction_cost<1>},
};

}  // namespace

std::span<const OpDef> upsample_ops() { return kUpsampleOps; }

}  // namespace dlbench::graph::ops
