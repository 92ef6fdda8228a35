// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamic loss scaling, described in passes.h (scale_loss); the rule of the scale is in
// engine/backend/loss_scale_rule.h. Both ops only update state and have no outputs.
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

bool is_scalar(const Value& value, core::DType dtype) {
  return value.dtype == dtype && value.shape.rank() == 0;
}

std::vector<OutputSpec> infer_unscale(const Graph& graph, const Node& node) {
  require(node.inputs.size() == 1 && is_scalar(input(graph, node, 0), core::DType::kF32),
          graph,
          node,
          "the input must be loss_scale, an f32 scalar");
  require(node.updates.size() > 1 && is_scalar(graph.value(node.updates.back()), core::DType::kF32),
          graph,
          node,
          "updates must be gradients and found_inf, an f32 scalar");
  return {};
}

std::vector<OutputSpec> infer_update_scale(const Graph& graph, const Node& node) {
  require(node.inputs.empty() && node.updates.size() == 4 &&
              is_scalar(graph.value(node.updates[0]), core::DType::kF32) &&
              is_scalar(graph.value(node.updates[1]), core::DType::kF32) &&
              is_scalar(graph.value(node.updates[2]), core::DType::kI64) &&
              is_scalar(graph.value(node.updates[3]), core::DType::kI64),
          graph,
          node,
          "updates must be loss_scale f32, found_inf f32, good_steps i64, skipped_steps i64");
  return {};
}

Cost cost_unscale(const Graph& graph, const Node& node) {
  Cost cost;
  for (std::size_t index = 0; index + 1 < node.updates.size(); ++index) {
    const Value& gradient = graph.value(node.updates[index]);
    const std::int64_t elements = gradient.shape.elements();
    cost.flop += 2 * elements;  // a multiplication and a test
    cost.bytes += 2 * elements * static_cast<std::int64_t>(core::size_of(gradient.dtype));
  }
  return cost;
}

constexpr OpDef kLossScalingOps[] = {
    {OpKind::kUnscaleGradients,
     "unscale_gradients",
     PrecisionClass::kNeutral,
     infer_unscale,
     nullptr,
     cost_unscale},
    {OpKind::kUpdateLossScale,
     "update_loss_scale",
     PrecisionClass::kNeutral,
     infer_update_scale,
     nullptr,
     no_cost},
};

}  // namespace

std::span<const OpDef> loss_scaling_ops() { return kLossScalingOps; }

}  // namespace dlbench::graph::ops
