// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/conv_problem.h"

#include "engine/core/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlbench::backend::cuda {
namespace {

/// The extents of the value in memory, padding lanes included.
std::vector<std::int64_t> extents_of(const graph::Value& value, const ChannelPadding& padding) {
  const auto logical = value.shape.extents();
  std::vector<std::int64_t> extents(logical.begin(), logical.end());
  extents.at(1) = padding.layout(value).stride;
  return extents;
}

std::vector<std::int64_t> leading(const graph::Spatial& attribute, std::size_t count) {
  return {attribute.begin(), attribute.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// x, w and y of a node of any direction.
struct ConvOperands {
  ConvDirection direction;
  graph::ValueId x;
  graph::ValueId w;
  graph::ValueId y;
};

ConvOperands operands_of(const graph::Node& node) {
  switch (node.op) {
    case graph::OpKind::kConv:
      return {ConvDirection::kForward, node.inputs[0], node.inputs[1], node.outputs[0]};
    case graph::OpKind::kConvBackwardData:
    case graph::OpKind::kConvTranspose:
      return {ConvDirection::kBackwardData, node.outputs[0], node.inputs[1], node.inputs[0]};
    default:
      DLBENCH_CHECK(node.op == graph::OpKind::kConvBackwardWeights) << node.name;
      return {ConvDirection::kBackwardWeights, node.inputs[0], node.outputs[0], node.inputs[1]};
  }
}

const graph::ConvAttributes& attributes_of(const graph::Node& node) {
  return node.op == graph::OpKind::kConvTranspose ? node.as<graph::ConvTransposeAttributes>().conv
                                                  : node.as<graph::ConvAttributes>();
}

}  // namespace

std::string_view name(ConvDirection direction) {
  switch (direction) {
    case ConvDirection::kForward:
      return "forward";
    case ConvDirection::kBackwardData:
      return "backward_data";
    default:
      return "backward_weights";
  }
}

std::string ConvProblem::text() const {
  return fmt::format("conv {} {} x({}) w({}) pad({})-({}) stride({}) dilation({}){}{}",
                     name(direction),
                     core::name(dtype),
                     fmt::join(x, ", "),
                     fmt::join(w, ", "),
                     fmt::join(pad_begin, ", "),
                     fmt::join(pad_end, ", "),
                     fmt::join(stride, ", "),
                     fmt::join(dilation, ", "),
                     epilogue.any() ? " " : "",
                     epilogue.text());
}

ConvProblem conv_problem(const graph::Graph& graph,
                         const graph::Node& node,
                         const ChannelPadding& padding,
                         const Epilogue& epilogue) {
  const ConvOperands operands = operands_of(node);
  const graph::ConvAttributes& attributes = attributes_of(node);
  ConvProblem problem{.direction = operands.direction,
                      .dtype = graph.value(operands.x).dtype,
                      .x = extents_of(graph.value(operands.x), padding),
                      .w = extents_of(graph.value(operands.w), padding),
                      .y = extents_of(graph.value(operands.y), padding)};
  const std::size_t axes = problem.x.size() - 2;
  problem.pad_begin = leading(attributes.pad_begin, axes);
  problem.pad_end = leading(attributes.pad_end, axes);
  problem.stride = leading(attributes.stride, axes);
  problem.dilation = leading(attributes.dilation, axes);
  DLBENCH_CHECK(!epilogue.any() || problem.direction == ConvDirection::kForward) << node.name;
  problem.epilogue = epilogue;
  return problem;
}

std::vector<std::int64_t> channels_last_strides(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size(), 1);
  std::int64_t step = extents[1];
  for (std::size_t axis = extents.size() - 1; axis >= 2; --axis) {
    strides[axis] = step;
    step *= extents[axis];
  }
  strides[0] = step;
  return strides;
}

}  // namespace dlbench::backend::cuda
