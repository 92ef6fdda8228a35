// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions: cuDNN's plan, then bias and ReLU in place; the gradient of the bias is a sum per
// channel of its own.
#include "engine/backend/cuda/graph_lowering_internal.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;
using graph::ValueId;

std::string decision_key(const GraphLowering& lowering, const Node& node) {
  const std::string owner =
      node.forward == graph::kNoNode ? node.name : lowering.graph().node(node.forward).name;
  return owner + "|" + std::string(name(conv_problem(lowering.graph(), node).direction));
}

Contraction choose(GraphLowering& lowering, const Node& node) {
  const std::string key = decision_key(lowering, node);
  Contraction chosen =
      lowering.contractions().convolution(conv_problem(lowering.graph(), node), key);
  lowering.decide(key, chosen.decision);
  return chosen;
}

void lower_forward(GraphLowering& lowering, const Node& node) {
  const FusedGroup* group = lowering.group_of(node);
  const ValueId y = group == nullptr ? node.outputs[0] : group->result;
  const bool has_bias = node.inputs.size() > 2;
  const bool relu = group != nullptr;
  Contraction chosen = choose(lowering, node);
  Emission emission{.covers = group == nullptr ? std::vector{node.id} : group->nodes,
                    .reads = {lowering.read(node.inputs[0]), lowering.read(node.inputs[1])},
                    .writes = {GraphLowering::slot(y)},
                    .scratch_bytes = chosen.scratch_bytes,
                    .kernel_name = chosen.kernel_name};
  if (has_bias) {
    emission.reads.push_back(lowering.read(node.inputs[2]));
  }
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

void lower_backward_data(GraphLowering& lowering, const Node& node) {
  Contraction chosen = choose(lowering, node);
  Emission emission = lowering.whole(node);  // dy, weight -> dx
  emission.scratch_bytes = chosen.scratch_bytes;
  emission.kernel_name = chosen.kernel_name;
  lowering.emit(std::move(emission), [run = std::move(chosen.run)](const Call& call) {
    run({call.writes[0], call.reads[1], call.reads[0], call.scratch, call.stream});
  });
}

void lower_backward_weights(GraphLowering& lowering, const Node& node) {
  Contraction chosen = choose(lowering, node);
  Emission emission = lowering.whole(node);  // x, dy -> dweight, [dbias]
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
  lowering.emit(std::move(emission),
                [run = std::move(chosen.run), has_bias, dtype, layout](const Call& call) {
                  run({call.reads[0], call.writes[0], call.reads[1], call.scratch, call.stream});
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

void lower_convolution(GraphLowering& lowering, const Node& node) {
  switch (node.op) {
    case OpKind::kConv:
      return lower_forward(lowering, node);
    case OpKind::kConvBackwardData:
      return lower_backward_data(lowering, node);
    default:
      return lower_backward_weights(lowering, node);
  }
}

}  // namespace dlbench::backend::cuda
