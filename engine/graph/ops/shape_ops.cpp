// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops that only move data: concat and slice along axis 1, reshape in row-major order of the logical
// shape. The gradient of concat is one slice per part; of reshape a reshape back. A slice is the
// projection y[n, c] = x[n, begin + c]; its gradient is the adjoint, dx[n, begin + c] = dy[n, c]
// and zero elsewhere. Nothing is saved.
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

std::vector<OutputSpec> infer_concat(const Graph& graph, const Node& node) {
  require(!node.inputs.empty(), graph, node, "at least one part is needed");
  const Value& first = input(graph, node, 0);
  require(first.shape.rank() >= 2, graph, node, "parts must be (N, C, ...)");
  std::int64_t channels = 0;
  for (std::size_t index = 0; index < node.inputs.size(); ++index) {
    const Value& part = input(graph, node, index);
    require(part.dtype == first.dtype, graph, node, "parts must have one dtype");
    require(part.shape.rank() == first.shape.rank() &&
                part.shape.with(1, first.shape[1]) == first.shape,
            graph,
            node,
            "parts may differ in axis 1 only");
    channels += part.shape[1];
  }
  return {{first.dtype, first.shape.with(1, channels), ""}};
}

void differentiate_concat(GradientContext& context) {
  std::int64_t begin = 0;
  for (std::size_t index = 0; index < context.node().inputs.size(); ++index) {
    const std::int64_t extent = context.builder().graph().value(context.input(index)).shape[1];
    if (context.needs(index)) {
      context.set(index,
                  context.add_backward_value(
                      OpKind::kSlice, {context.output_gradient()}, SliceAttributes{begin, extent}));
    }
    begin += extent;
  }
}

core::Shape slice_shape(const Graph& graph, const Node& node, const core::Shape& x) {
  const auto& slice = node.as<SliceAttributes>();
  require(x.rank() >= 2, graph, node, "x must be (N, C, ...)");
  require(slice.begin >= 0 && slice.extent > 0 && slice.begin + slice.extent <= x[1],
          graph,
          node,
          "the range must lie inside axis 1");
  return x.with(1, slice.extent);
}

std::vector<OutputSpec> infer_slice(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  return {{x.dtype, slice_shape(graph, node, x.shape), ""}};
}

void differentiate_slice(GradientContext& context) {
  context.set(0,
              context.add_backward_value(OpKind::kSliceBackward,
                                         {context.output_gradient(), context.input(0)},
                                         context.node().attributes));
}

/// Only the range is read of x.
Cost slice_cost(const Graph& graph, const Node& node) {
  const Value& y = output(graph, node, 0);
  return {.macs = 0, .flop = 0, .bytes = 2 * static_cast<std::int64_t>(y.dense_bytes())};
}

std::vector<OutputSpec> infer_slice_backward(const Graph& graph, const Node& node) {
  const Value& dy = input(graph, node, 0);
  const Value& x = input(graph, node, 1);
  require(
      dy.shape == slice_shape(graph, node, x.shape), graph, node, "dy must have the shape of y");
  return {{dy.dtype, x.shape, ""}};
}

std::vector<OutputSpec> infer_reshape(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  const auto& shape = node.as<ReshapeAttributes>().shape;
  require(shape.elements() == x.shape.elements(),
          graph,
          node,
          "the new shape must have as many elements");
  return {{x.dtype, shape, ""}};
}

void differentiate_reshape(GradientContext& context) {
  const core::Shape shape = context.builder().graph().value(context.input(0)).shape;
  context.set(0,
              context.add_backward_value(
                  OpKind::kReshape, {context.output_gradient()}, ReshapeAttributes{shape}));
}

constexpr OpDef kShapeOps[] = {
    {OpKind::kConcat,
     "concat",
     PrecisionClass::kFollow,
     infer_concat,
     differentiate_concat,
     copy_cost},
    {OpKind::kSlice,
     "slice",
     PrecisionClass::kFollow,
     infer_slice,
     differentiate_slice,
     slice_cost},
    {OpKind::kSliceBackward,
     "slice_backward",
     PrecisionClass::kFollow,
     infer_slice_backward,
     nullptr,
     copy_cost},
    {OpKind::kReshape,
     "reshape",
     PrecisionClass::kFollow,
     infer_reshape,
     differentiate_reshape,
     copy_cost},
};

}  // namespace

std::span<const OpDef> shape_ops() { return kShapeOps; }

}  // namespace dlbench::graph::ops
