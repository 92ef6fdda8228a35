// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution (cross-correlation, as in every deep-learning framework) over two or three axes:
//   y[n, k, o] = bias[k] + sum_{c, t} x[n, g(k) C/G + c, o stride + t dilation - pad_begin] w[k, c,
//   t]
// dx and dw are the two adjoints; dbias[k] = sum_{n, o} dy[n, k, o]. Nothing is saved: the backward
// nodes read x and w.
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

std::int64_t output_extent(const ConvAttributes& conv,
                           std::size_t axis,
                           std::int64_t input_extent,
                           std::int64_t kernel) {
  const std::int64_t span = (kernel - 1) * conv.dilation[axis] + 1;
  const std::int64_t padded = input_extent + conv.pad_begin[axis] + conv.pad_end[axis];
  return padded < span ? 0 : (padded - span) / conv.stride[axis] + 1;
}

core::Shape output_shape(const Graph& graph,
                         const Node& node,
                         const core::Shape& x,
                         const core::Shape& w) {
  const auto& conv = node.as<ConvAttributes>();
  core::Shape y = x.with(1, w[0]);
  for (std::size_t axis = 0; axis + 2 < x.rank(); ++axis) {
    require(conv.stride[axis] >= 1 && conv.dilation[axis] >= 1 && w[axis + 2] >= 1,
            graph,
            node,
            "kernel, stride and dilation must be at least 1");
    require(conv.pad_begin[axis] >= 0 && conv.pad_end[axis] >= 0,
            graph,
            node,
            "padding must not be negative");
    const std::int64_t extent = output_extent(conv, axis, x[axis + 2], w[axis + 2]);
    require(extent > 0, graph, node, "the window does not fit into the padded input");
    y = y.with(axis + 2, extent);
  }
  return y;
}

std::vector<OutputSpec> infer_conv(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  const Value& weight = input(graph, node, 1);
  const auto& conv = node.as<ConvAttributes>();
  require(x.shape.rank() == 4 || x.shape.rank() == 5, graph, node, "x must have rank 4 or 5");
  require(weight.shape.rank() == x.shape.rank(), graph, node, "weight must have the rank of x");
  require(x.dtype == weight.dtype, graph, node, "x and weight must have one dtype");
  require(conv.groups >= 1 && x.shape[1] == weight.shape[1] * conv.groups &&
              weight.shape[0] % conv.groups == 0,
          graph,
          node,
          "channels of x must be channels of weight times groups");
  if (node.inputs.size() > 2) {
    require(input(graph, node, 2).shape == core::Shape{weight.shape[0]},
            graph,
            node,
            "bias must be (K)");
    require(input(graph, node, 2).dtype == x.dtype, graph, node, "bias must have the dtype of x");
  }
  return {{x.dtype, output_shape(graph, node, x.shape, weight.shape), ""}};
}

void differentiate_conv(GradientContext& context) {
  const ValueId dy = context.output_gradient();
  const bool has_bias = context.node().inputs.size() > 2;
  if (context.needs(1) || (has_bias && context.needs(2))) {
    std::vector<ValueId> inputs{context.input(0), dy, context.input(1)};
    if (has_bias) {
      inputs.push_back(context.input(2));
    }
    const NodeId node =
        context.add_backward(OpKind::kConvBackwardWeights, inputs, context.node().attributes);
    const std::vector<ValueId> outputs = context.builder().graph().node(node).outputs;
    context.set(1, outputs.at(0));
    if (has_bias) {
      context.set(2, outputs.at(1));
    }
  }
  if (context.needs(0)) {
    context.set(0,
                context.add_backward_value(OpKind::kConvBackwardData,
                                           {dy, context.input(1), context.input(0)},
                                           context.node().attributes));
  }
}

std::vector<OutputSpec> infer_conv_backward_data(const Graph& graph, const Node& node) {
  const Value& dy = input(graph, node, 0);
  const Value& weight = input(graph, node, 1);
  const Value& x = input(graph, node, 2);
  require(dy.shape == output_shape(graph, node, x.shape, weight.shape),
          graph,
          node,
          "dy must have the shape of y");
  return {{x.dtype, x.shape, ""}};
}

std::vector<OutputSpec> infer_conv_backward_weights(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  const Value& dy = input(graph, node, 1);
  const Value& weight = input(graph, node, 2);
  require(dy.shape == output_shape(graph, node, x.shape, weight.shape),
          graph,
          node,
          "dy must have the shape of y");
  std::vector<OutputSpec> outputs{{weight.dtype, weight.shape, ""}};
  if (node.inputs.size() > 3) {
    const Value& bias = input(graph, node, 3);
    outputs.push_back({bias.dtype, bias.shape, "_bias"});
  }
  return outputs;
}

// One MAC per output element and tap, including taps that fall into padding, as is usual.
Cost contraction(const Graph& graph,
                 const Node& node,
                 const core::Shape& y,
                 const core::Shape& weight,
                 bool bias) {
  const std::int64_t macs = y.elements() * (weight.elements() / weight[0]);
  return {.macs = macs,
          .flop = 2 * macs + (bias ? y.elements() : 0),
          .bytes = traffic_bytes(graph, node)};
}

Cost cost_conv(const Graph& graph, const Node& node) {
  return contraction(graph,
                     node,
                     output(graph, node, 0).shape,
                     input(graph, node, 1).shape,
                     node.inputs.size() > 2);
}

Cost cost_conv_backward_data(const Graph& graph, const Node& node) {
  return contraction(graph, node, input(graph, node, 0).shape, input(graph, node, 1).shape, false);
}

Cost cost_conv_backward_weights(const Graph& graph, const Node& node) {
  return contraction(graph,
                     node,
                     input(graph, node, 1).shape,
                     input(graph, node, 2).shape,
                     node.inputs.size() > 3);
}

constexpr OpDef kConvOps[] = {
    {OpKind::kConv, "conv", PrecisionClass::kReduced, infer_conv, differentiate_conv, cost_conv},
    {OpKind::kConvBackwardData,
     "conv_backward_data",
     PrecisionClass::kReduced,
     infer_conv_backward_data,
     nullptr,
     cost_conv_backward_data},
    {OpKind::kConvBackwardWeights,
     "conv_backward_weights",
     PrecisionClass::kReduced,
     infer_conv_backward_weights,
     nullptr,
     cost_conv_backward_weights},
};

}  // namespace

std::span<const OpDef> conv_ops() { return kConvOps; }

}  // namespace dlbench::graph::ops
