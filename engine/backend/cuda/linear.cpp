// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Fully connected layers: one matrix product each, y (N, O) = x (N, I) weight (O, I)^T.
#include "engine/backend/cuda/graph_lowering_internal.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;
using graph::ValueId;

MatrixProduct describe(const GraphLowering& lowering, const Node& node) {
  const auto shape = [&](ValueId id) { return lowering.value(id).shape; };
  MatrixProduct product{.dtype = lowering.value(node.inputs[0]).dtype,
                        .allow_tf32 = lowering.options().allow_tf32};
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

void lower_forward(GraphLowering& lowering, const Node& node) {
  const FusedGroup* group = lowering.group_of(node);
  const ValueId y = group == nullptr ? node.outputs[0] : group->result;
  const bool has_bias = node.inputs.size() > 2;
  const bool relu = group != nullptr;
  Contraction chosen = lowering.contractions().product(describe(lowering, node));
  Emission emission = lowering.whole(node);
  emission.covers = group == nullptr ? std::vector{node.id} : group->nodes;
  emission.writes = {GraphLowering::slot(y)};
  emission.scratch_bytes = chosen.scratch_bytes;
  emission.kernel_name = chosen.kernel_name;
  const core::DType dtype = lowering.value(y).dtype;
  const ChannelsLast layout = lowering.layout(y);
  lowering.emit(std::move(emission),
                [run = std::move(chosen.run), has_bias, relu, dtype, layout](const Call& call) {
                  run({call.reads[0], call.reads[1], call.writes[0], call.scratch, call.stream});
                  if (has_bias) {
                    launch_add_bias({.x = call.out(0),
                                     .bias = call.in(2),
                                     .y = call.out(0),
                                     .dtype = dtype,
                                     .layout = layout,
                                     .relu = relu},
                                    call.stream);
                  } else if (relu) {
                    launch_pointwise(
                        PointwiseOp::kRelu,
                        {.a = call.out(0), .y = call.out(0), .dtype = dtype, .layout = layout},
                        call.stream);
                  }
                });
}

void lower_backward_weights(GraphLowering& lowering, const Node& node) {
  Contraction chosen = lowering.contractions().product(describe(lowering, node));
  Emission emission = lowering.whole(node);  // x, dy -> dweight, [dbias]
  const bool has_bias = node.outputs.size() > 1;
  const core::DType dtype = lowering.value(node.inputs[1]).dtype;
  const ChannelsLast layout = lowering.layout(node.inputs[1]);
  emission.scratch_bytes = chosen.scratch_bytes;
  if (has_bias) {
    emission.scratch_bytes =
        std::max(emission.scratch_bytes, channel_sums_scratch_bytes(layout, dtype, false));
  }
  emission.kernel_name = chosen.kernel_name;
  lowering.emit(std::move(emission),
                [run = std::move(chosen.run), has_bias, dtype, layout](const Call& call) {
                  run({call.reads[1], call.reads[0], call.writes[0], call.scratch, call.stream});
                  if (has_bias) {
                    launch_channel_sums({.a = call.in(1),
                                         .result = call.out(1),
                                         .dtype = dtype,
                                         .layout = layout,
                                         .per_sample = false,
                                         .scratch = call.scratch},
                                        call.stream);
                  }
                });
}

}  // namespace

void lower_linear(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kLinear) {
    return lower_forward(lowering, node);
  }
  if (node.op == OpKind::kLinearBackwardWeights) {
    return lower_backward_weights(lowering, node);
  }
  Contraction chosen = lowering.contractions().product(describe(lowering, node));
  Emission emission = lowering.whole(node);  // dy, weight -> dx
  emission.scratch_bytes = chosen.scratch_bytes;
  emission.kernel_name = chosen.kernel_name;
  lowering.emit(std::move(emission), [run = std::move(chosen.run)](const Call& call) {
    run({call.reads[0], call.reads[1], call.writes[0], call.scratch, call.stream});
  });
}

}  // namespace dlbench::backend::cuda
