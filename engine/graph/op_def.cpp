// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/op_def.h"

#include "engine/core/check.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"

#include <array>
#include <utility>

namespace dlbench::graph {
namespace {

using Table = std::array<OpDef, kOpCount>;

Table build_table() {
  Table table{};
  std::array<bool, kOpCount> seen{};
  for (const auto part : {ops::all_reduce_ops(),
                          ops::batch_norm_ops(),
                          ops::conv_ops(),
                          ops::conv_transpose_ops(),
                          ops::dropout_ops(),
                          ops::linear_ops(),
                          ops::loss_ops(),
                          ops::loss_scaling_ops(),
                          ops::metric_ops(),
                          ops::normalize_ops(),
                          ops::optimizer_ops(),
                          ops::pointwise_ops(),
                          ops::pooling_ops(),
                          ops::shape_ops(),
                          ops::upsample_ops()}) {
    for (const OpDef& row : part) {
      const auto index = static_cast<std::size_t>(row.kind);
      DLBENCH_CHECK(!seen.at(index)) << "op defined twice: " << row.name;
      seen.at(index) = true;
      table.at(index) = row;
    }
  }
  for (std::size_t index = 0; index < kOpCount; ++index) {
    DLBENCH_CHECK(seen.at(index)) << "op without definition: " << index;
  }
  return table;
}

const Table& table() {
  static const Table instance = build_table();
  return instance;
}

}  // namespace

const OpDef& op_def(OpKind kind) { return table().at(static_cast<std::size_t>(kind)); }

bool reads_input(OpKind kind, std::size_t index) {
  switch (kind) {
    case OpKind::kGlobalAvgPoolBackward:
    case OpKind::kSliceBackward:
    case OpKind::kUpsampleNearestBackward:
      return index < 1;
    case OpKind::kConvBackwardData:
    case OpKind::kConvBackwardWeights:
    case OpKind::kLinearBackwardWeights:
    case OpKind::kMaxPoolBackward:
    case OpKind::kNllBackward:
      return index < 2;
    case OpKind::kDiceBackward:
      return index < 3;
    default:
      return true;
  }
}

std::size_t gradient_count(const Node& update) {
  const std::size_t states = update.op == OpKind::kSgd ? 1 : 2;
  return update.updates.size() / (1 + states);
}

bool reads_found_inf(const Node& update) {
  return update.inputs.size() > kFirstGradient + gradient_count(update);
}

std::span<const OpDef> all_op_defs() { return table(); }

std::string_view name(OpKind kind) { return op_def(kind).name; }

GradientContext::GradientContext(GraphBuilder& builder,
                                 NodeId node,
                                 std::vector<ValueId> output_gradients,
                                 std::vector<bool> needed)
    : builder_(builder),
      node_(builder.graph().node(node)),
      output_gradients_(std::move(output_gradients)),
      needed_(std::move(needed)),
      input_gradients_(node_.inputs.size(), kNoValue) {}

ValueId GradientContext::output_gradient(std::size_t index) const {
  return output_gradients_.at(index);
}

void GradientContext::set(std::size_t input_index, ValueId gradient) {
  if (needed_.at(input_index)) {
    input_gradients_.at(input_index) = gradient;
  }
}

NodeId GradientContext::add_backward(OpKind op,
                                     std::vector<ValueId> inputs,
                                     Attributes attributes) {
  for (const ValueId id : inputs) {
    DLBENCH_CHECK(id != kNoValue) << "gradient rule of " << node_.name
                                  << " reads a missing gradient";
  }
  NodeSpec spec{.op = op,
                .name = builder_.unique_name(node_.name + "/" + std::string(graph::name(op))),
                .attributes = std::move(attributes),
                .inputs = std::move(inputs),
                .phase = Phase::kBackward,
                .forward = node_.id};
  return builder_.add_node(std::move(spec));
}

ValueId GradientContext::add_backward_value(OpKind op,
                                            std::vector<ValueId> inputs,
                                            Attributes attributes) {
  const NodeId id = add_backward(op, std::move(inputs), std::move(attributes));
  return builder_.graph().node(id).outputs.at(0);
}

}  // namespace dlbench::graph
