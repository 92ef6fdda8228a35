// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Common to convolutions and fully connected layers: a contraction with its epilogue, and the
// gradient of the bias as a separate sum per channel.
#include "engine/backend/cuda/graph_lowering_internal.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend::cuda {

using graph::Node;
using graph::ValueId;

void emit_forward(GraphLowering& lowering, const Node& node, Contraction chosen) {
  const FusedGroup* group = lowering.group_of(node);
  const ValueId y = group == nullptr ? node.outputs[0] : group->result;
  Emission emission = lowering.whole(node);
  emission.covers = group == nullptr ? std::vector{node.id} : group->nodes;
  emission.writes = {GraphLowering::slot(y)};
  emission.scratch_bytes = chosen.scratch_bytes;
  emission.kernel_name = chosen.kernel_name;
  emission.repeatable = chosen.repeatable;
  const bool has_bias = node.inputs.size() > 2;
  lowering.emit(std::move(emission), [run = std::move(chosen.run), has_bias](const Call& call) {
    run({.x = call.reads[0],
         .w = call.reads[1],
         .y = call.writes[0],
         .bias = has_bias ? call.reads[2] : nullptr,
         .scratch = call.scratch,
         .stream = call.stream});
  });
}

void emit_gradient(GraphLowering& lowering,
                   const Node& node,
                   Contraction chosen,
                   ContractionOperands operands) {
  Emission emission = lowering.whole(node);
  bool has_bias = node.outputs.size() > 1;
  if (has_bias && lowering.shared_sums().contains(node.outputs[1])) {
    emission.writes.pop_back();
    has_bias = false;
  }
  const core::DType dtype = lowering.value(node.inputs[1]).dtype;
  const ChannelsLast layout = lowering.layout(node.inputs[1]);
  emission.scratch_bytes = chosen.scratch_bytes;
  if (has_bias) {
    // The two run one after the other, so they can share the memory.
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
