// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Pointwise ops, casts, biases, and channel gates with their global average.
#include "engine/backend/cuda/graph_lowering_internal.h"
#include "engine/core/check.h"

#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::kNoNode;
using graph::Node;
using graph::OpKind;
using graph::ValueId;

PointwiseOp pointwise_op(OpKind op) {
  switch (op) {
    case OpKind::kRelu:
      return PointwiseOp::kRelu;
    case OpKind::kReluBackward:
      return PointwiseOp::kReluBackward;
    case OpKind::kSigmoid:
      return PointwiseOp::kSigmoid;
    case OpKind::kSigmoidBackward:
      return PointwiseOp::kSigmoidBackward;
    case OpKind::kMultiply:
      return PointwiseOp::kMultiply;
    default:
      DLBENCH_CHECK(false) << "the cuda backend has no kernel of " << graph::name(op);
  }
}

/// One addition, or a chain of them.
void lower_sum(GraphLowering& lowering, const Node& node) {
  const FusedGroup* group = lowering.group_of(node);
  const ValueId y = group == nullptr ? node.outputs[0] : group->result;
  Emission emission{
      .covers = {node.id}, .writes = {GraphLowering::slot(y)}, .kernel_name = "own:add"};
  if (group != nullptr) {
    emission.covers = group->nodes;
  }
  SumArgs args{.dtype = lowering.value(y).dtype, .layout = lowering.elementwise_layout(y)};
  for (const ValueId x : group == nullptr ? node.inputs : group->summands) {
    args.summands.push_back({.stride = lowering.elementwise_layout(x).stride});
    emission.reads.push_back(lowering.read(x));
    if (!lowering.is_range(x)) {
      emission.in_place.emplace_back(emission.reads.back(), emission.writes[0]);
    }
  }
  lowering.emit(std::move(emission), [args = std::move(args)](const Call& call) mutable {
    for (std::size_t index = 0; index < args.summands.size(); ++index) {
      args.summands[index].x = call.in(index);
    }
    args.y = call.out(0);
    launch_sum(args, call.stream);
  });
}

/// Emits the sums over space of a, or of a b, one per sample and channel.
void emit_sums(GraphLowering& lowering, const Node& node, ValueId summed, float factor) {
  Emission emission = lowering.whole(node);
  const bool product = emission.reads.size() > 1;
  ChannelSumsArgs args{.dtype = lowering.value(summed).dtype,
                       .layout = lowering.layout(summed),
                       .result_stride = lowering.layout(summed).channels,
                       .factor = factor};
  emission.scratch_bytes = channel_sums_scratch_bytes(args.layout, args.dtype, true);
  lowering.emit(std::move(emission), [args, product](const Call& call) mutable {
    args.a = call.in(0);
    args.b = product ? call.in(1) : nullptr;
    args.result = call.out(0);
    args.scratch = call.scratch;
    launch_channel_sums(args, call.stream);
  });
}

void lower_scale(GraphLowering& lowering, const Node& node) {
  const FusedGroup* group = lowering.group_of(node);
  const ValueId y = group == nullptr ? node.outputs[0] : group->result;
  Emission emission = lowering.whole(node);  // x, gate -> y
  if (group != nullptr) {
    emission.covers = group->nodes;
    emission.writes = {GraphLowering::slot(y)};
    emission.reads.push_back(lowering.read(lowering.graph().node(group->before).inputs[0]));
  }
  emission.in_place = {{emission.reads[0], emission.writes[0]}};
  ScaleChannelsArgs args{.gate_stride = lowering.layout(y).channels,
                         .dtype = lowering.value(y).dtype,
                         .layout = lowering.layout(y)};
  lowering.emit(std::move(emission), [args, shifts = group != nullptr](const Call& call) mutable {
    args.x = call.in(0);
    args.gate = call.in(1);
    args.shift = shifts ? call.in(2) : nullptr;
    args.y = call.out(0);
    launch_scale_channels(args, call.stream);
  });
}

void lower_average_backward(GraphLowering& lowering, const Node& node) {
  const ValueId dx = node.outputs[0];
  ScaleChannelsArgs args{.gate_stride = lowering.layout(dx).channels,
                         .dtype = lowering.value(dx).dtype,
                         .layout = lowering.layout(dx)};
  lowering.emit(lowering.whole(node), [args](const Call& call) mutable {
    args.shift = call.in(0);
    args.y = call.out(0);
    launch_scale_channels(args, call.stream);
  });
}

void lower_bias(GraphLowering& lowering, const Node& node) {
  const ValueId y = node.outputs[0];
  Emission emission = lowering.whole(node);  // x, bias -> y
  emission.in_place = {{emission.reads[0], emission.writes[0]}};
  BiasArgs args{.dtype = lowering.value(y).dtype, .layout = lowering.layout(y)};
  lowering.emit(std::move(emission), [args](const Call& call) mutable {
    args.x = call.in(0);
    args.bias = call.in(1);
    args.y = call.out(0);
    launch_add_bias(args, call.stream);
  });
}

void lower_bias_gradient(GraphLowering& lowering, const Node& node) {
  const ValueId dy = node.inputs[0];
  Emission emission = lowering.whole(node);
  ChannelSumsArgs args{
      .dtype = lowering.value(dy).dtype, .layout = lowering.layout(dy), .per_sample = false};
  emission.scratch_bytes = channel_sums_scratch_bytes(args.layout, args.dtype, false);
  lowering.emit(std::move(emission), [args](const Call& call) mutable {
    args.a = call.in(0);
    args.result = call.out(0);
    args.scratch = call.scratch;
    launch_channel_sums(args, call.stream);
  });
}

}  // namespace

void lower_add_bias(GraphLowering& lowering, const Node& node) {
  return node.op == OpKind::kAddBias ? lower_bias(lowering, node)
                                     : lower_bias_gradient(lowering, node);
}

void lower_pointwise(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kAdd) {
    return lower_sum(lowering, node);
  }
  Emission emission = lowering.whole(node);
  const ValueId y = node.outputs[0];
  PointwiseArgs args{.dtype = lowering.value(y).dtype, .layout = lowering.elementwise_layout(y)};
  const bool binary = emission.reads.size() > 1;
  for (const SlotId read : emission.reads) {
    emission.in_place.emplace_back(read, emission.writes[0]);
  }
  lowering.emit(std::move(emission),
                [args, binary, op = pointwise_op(node.op)](const Call& call) mutable {
                  args.a = call.in(0);
                  args.b = binary ? call.in(1) : nullptr;
                  args.y = call.out(0);
                  launch_pointwise(op, args, call.stream);
                });
}

void lower_cast(GraphLowering& lowering, const Node& node) {
  const graph::Value& x = lowering.value(node.inputs[0]);
  const graph::Value& y = lowering.value(node.outputs[0]);
  if (!core::is_float(x.dtype) || !core::is_float(y.dtype)) {
    GraphLowering::refuse(node.name, "casts between floats only");
  }
  CastArgs args{.x_dtype = x.dtype,
                .x_layout = lowering.elementwise_layout(x.id),
                .y_dtype = y.dtype,
                .y_layout = lowering.elementwise_layout(y.id)};
  lowering.emit(lowering.whole(node), [args](const Call& call) mutable {
    args.x = call.in(0);
    args.y = call.out(0);
    launch_cast(args, call.stream);
  });
}

void lower_casts(GraphLowering& lowering, const CastGroup& group) {
  Emission emission{.covers = group.nodes, .name = group.name, .kernel_name = "own:cast"};
  CastManyArgs args;
  for (const graph::NodeId id : group.nodes) {
    const Node& cast = lowering.graph().node(id);
    const graph::Value& x = lowering.value(cast.inputs[0]);
    const graph::Value& y = lowering.value(cast.outputs[0]);
    args.x_dtype = x.dtype;
    args.y_dtype = y.dtype;
    args.tensors.push_back({.elements = lowering.elementwise_layout(y.id).elements()});
    emission.reads.push_back(lowering.read(x.id));
    emission.writes.push_back(GraphLowering::slot(y.id));
  }
  lowering.emit(std::move(emission), [args = std::move(args)](const Call& call) mutable {
    for (std::size_t index = 0; index < args.tensors.size(); ++index) {
      args.tensors[index].x = call.in(index);
      args.tensors[index].y = call.out(index);
    }
    launch_cast_many(args, call.stream);
  });
}

void lower_scale_channels(GraphLowering& lowering, const Node& node) {
  return node.op == OpKind::kScaleChannels ? lower_scale(lowering, node)
                                           : emit_sums(lowering, node, node.inputs[0], 1.0F);
}

void lower_global_average(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kGlobalAvgPoolBackward) {
    return lower_average_backward(lowering, node);
  }
  const auto space = static_cast<float>(lowering.layout(node.inputs[0]).spatial);
  emit_sums(lowering, node, node.inputs[0], 1.0F / space);
}

}  // namespace dlbench::backend::cuda
