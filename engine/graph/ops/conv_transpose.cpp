// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Transposed convolution over two or three axes, as in PyTorch's ConvTranspose2d and 3d
// (https://pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html):
//   y[n, k, i stride + t dilation - pad_begin] += sum_c x[n, c, i] w[c, k, t], k within c's group.
// It is the adjoint of the convolution from y to x with the same weights. Its gradients are
// therefore that convolution's forward pass, and its weight gradient with x in place of dy:
//   dx = conv(dy, w), dw = conv_backward_weights(dy, x).
// Nothing is saved. A bias is a separate op (add_bias).
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

void check_attributes(const Graph& graph, const Node& node, std::size_t spatial_rank) {
  const auto& [conv, output_padding] = node.as<ConvTransposeAttributes>();
  for (std::size_t axis = 0; axis < spatial_rank; ++axis) {
    require(conv.stride[axis] >= 1 && conv.dilation[axis] >= 1,
            graph,
            node,
            "stride and dilation must be at least 1");
    require(conv.pad_begin[axis] >= 0 && conv.pad_end[axis] >= 0,
            graph,
            node,
            "padding must not be negative");
    require(output_padding[axis] >= 0 && output_padding[axis] < conv.stride[axis],
            graph,
            node,
            "output padding must be at least 0 and less than the stride");
  }
}

std::vector<OutputSpec> infer_conv_transpose(const Graph& graph, const Node& node) {
  require(node.inputs.size() == 2, graph, node, "the operands are x and weight");
  const Value& x = input(graph, node, 0);
  const core::Shape& weight = input(graph, node, 1).shape;
  const auto& [conv, output_padding] = node.as<ConvTransposeAttributes>();
  require(x.shape.rank() == 4 || x.shape.rank() == 5, graph, node, "x must have rank 4 or 5");
  require(weight.rank() == x.shape.rank(), graph, node, "weight must have the rank of x");
  require(x.dtype == input(graph, node, 1).dtype, graph, node, "x and weight must have one dtype");
  require(conv.groups >= 1 && x.shape[1] == weight[0] && weight[0] % conv.groups == 0,
          graph,
          node,
          "weight must be (C, K / groups, ...) with the C channels of x in whole groups");
  check_attributes(graph, node, x.shape.rank() - 2);
  core::Shape y = x.shape.with(1, weight[1] * conv.groups);
  for (std::size_t axis = 0; axis + 2 < x.shape.rank(); ++axis) {
    const std::int64_t span = (weight[axis + 2] - 1) * conv.dilation[axis] + 1;
    const std::int64_t extent = (x.shape[axis + 2] - 1) * conv.stride[axis] + span -
                                conv.pad_begin[axis] - conv.pad_end[axis] + output_padding[axis];
    require(weight[axis + 2] >= 1 && extent >= 1, graph, node, "padding leaves nothing of y");
    y = y.with(axis + 2, extent);
  }
  return {{x.dtype, y, ""}};
}

void differentiate_conv_transpose(GradientContext& context) {
  const ValueId x = context.input(0);
  const ValueId weight = context.input(1);
  const ValueId dy = context.output_gradient();
  const ConvAttributes conv = context.node().as<ConvTransposeAttributes>().conv;
  if (context.needs(1)) {
    context.set(1, context.add_backward_value(OpKind::kConvBackwardWeights, {dy, x, weight}, conv));
  }
  if (context.needs(0)) {
    context.set(0, context.add_backward_value(OpKind::kConv, {dy, weight}, conv));
  }
}

// One MAC per input element and tap, including products that padding crops, as for convolutions.
Cost cost_conv_transpose(const Graph& graph, const Node& node) {
  const core::Shape& weight = input(graph, node, 1).shape;
  const std::int64_t macs =
      input(graph, node, 0).shape.elements() * (weight.elements() / weight[0]);
  return {.macs = macs, .flop = 2 * macs, .bytes = traffic_bytes(graph, node)};
}

constexpr OpDef kConvTransposeOps[] = {
    {OpKind::kConvTranspose,
     "conv_transpose",
     PrecisionClass::kReduced,
     infer_conv_transpose,
     differentiate_conv_transpose,
     cost_conv_transpose},
};

}  // namespace

std::span<const OpDef> conv_transpose_ops() { return kConvTransposeOps; }

}  // namespace dlbench::graph::ops
