// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What convolutions and fully connected layers have in common: a contraction of a library, then
// bias and ReLU in place; the gradient of the bias is a sum per channel of its own.
#include "engine/backend/cuda/graph_lowering_internal.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend::cuda {

using graph::Node;
using graph::ValueId;

void emit_forward(GraphLowering& lowering, const Node& node, Contraction chosen) {
  const FusedGroup* group = lowering.group_of(node);
  const ValueId y = group == nullptr ? node.outputs[0] : group->result;
  const bool has_bias = node.inputs.size() > 2;
  const bool relu = group != nullptr;
  Emission emission = lowering.whole(node);
  emission.covers = group == nullptr ? std::vector{node.id} : group->nodes;
  emission.writes = {GraphLowering::slot(y)};
  emission.scratch_bytes = chosen.scratch_bytes;
  emission.kernel_name = chosen.kernel_name;
  emission.repeatable = chosen.repeatable;
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

void emit_gradient(GraphLowering& lowering,
                   const Node& node,
                   Contraction chosen,
                   ContractionOperands operands) {
  Emission emission = lowering.whole(node);
  const bool has_bias = node.outputs.size() > 1;
  const core::DType dtype = lowering.value(node.inputs[1]).dtype;
  const ChannelsLast layout = lowering.layout(node.inputs[1]);
  emission.scratch_bytes = chosen.scratch_bytes;
  if (has_bias) {
    // One after the other: they can share the memory.
    emission.scratch_bytes =
        std::max(emission.scratch_bytes, channel_sums_scratch_bytes(layout, dtype, false));
  }
  emission.kernel_name = chosen.kernel_name;
  emission.repeatable = chosen.repeatable;
  lowering.emit(std::move(emission),
                [run = std::move(chosen.run), operands, has_bias, dtype, layout](const Call& call) {
                  run(operands(call));
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

}  // namespace dlbench::backend::cuda
