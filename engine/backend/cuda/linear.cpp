// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Fully connected layers: one matrix product each, y (N, O) = x (N, I) weight (O, I)^T.
#include "engine/backend/cuda/graph_lowering_internal.h"

#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;
using graph::ValueId;

MatrixProduct describe(const GraphLowering& lowering, const Node& node) {
  const auto shape = [&](ValueId id) { return lowering.value(id).shape; };
  MatrixProduct product{.dtype = lowering.value(node.inputs[0]).dtype,
                        .allow_tf32 = lowering.options().allow_tf32,
                        .epilogue = epilogue_of(node, lowering.group_of(node))};
  if (node.op == OpKind::kLinear) {
    product.rows = shape(node.inputs[0])[0];
    product.inner = shape(node.inputs[0])[1];
    product.columns = shape(node.inputs[1])[0];
    product.transpose_b = true;
  } else if (node.op == OpKind::kLinearBackwardData) {  // dx = dy weight
    product.rows = shape(node.inputs[0])[0];
    product.inner = shape(node.inputs[1])[0];
    product.columns = shape(node.inputs[1])[1];
  } else {  // dweight (O, I) = dy^T x
    product.rows = shape(node.outputs[0])[0];
    product.inner = shape(node.inputs[0])[0];
    product.columns = shape(node.outputs[0])[1];
    product.transpose_a = true;
  }
  return product;
}

}  // namespace

void lower_linear(GraphLowering& lowering, const Node& node) {
  Contraction chosen = lowering.contractions().product(describe(lowering, node));
  switch (node.op) {
    case OpKind::kLinear:
      return emit_forward(lowering, node, std::move(chosen));
    case OpKind::kLinearBackwardData:  // dy, w -> dx
      return emit_gradient(lowering, node, std::move(chosen), [](const Call& call) {
        return ContractionCall{.x = call.reads[0],
                               .w = call.reads[1],
                               .y = call.writes[0],
                               .scratch = call.scratch,
                               .stream = call.stream};
      });
    default:  // x, dy -> dw, [dbias]
      return emit_gradient(lowering, node, std::move(chosen), [](const Call& call) {
        return ContractionCall{.x = call.reads[1],
                               .w = call.reads[0],
                               .y = call.writes[0],
                               .scratch = call.scratch,
                               .stream = call.stream};
      });
  }
}

}  // namespace dlbench::backend::cuda
