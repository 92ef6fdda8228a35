// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Max pooling and nearest-neighbour upsampling, two or three spatial axes.
#include "engine/backend/cuda/graph_lowering_internal.h"
#include "engine/graph/spatial.h"

#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;
using graph::ValueId;

/// x: the tensor that the forward op reads.
Planes planes(const GraphLowering& lowering, ValueId x, ValueId y) {
  const ChannelsLast layout = lowering.layout(x);
  return {.batch = layout.batch,
          .channels = layout.channels,
          .x_stride = layout.stride,
          .y_stride = lowering.layout(y).stride,
          .x = graph::spatial_extents(lowering.value(x).shape),
          .y = graph::spatial_extents(lowering.value(y).shape)};
}

}  // namespace

void lower_max_pool(GraphLowering& lowering, const Node& node) {
  const bool forward = node.op == OpKind::kMaxPool;
  const ValueId x = forward ? node.inputs[0] : node.outputs[0];
  const ValueId y = forward ? node.outputs[0] : node.inputs[0];
  const auto& attributes = node.as<graph::PoolAttributes>();
  const std::size_t rank = lowering.value(x).shape.rank();
  MaxPoolArgs args{.dtype = lowering.value(x).dtype,
                   .planes = planes(lowering, x, y),
                   .kernel = graph::spatial_attribute(attributes.kernel, rank, 1),
                   .stride = graph::spatial_attribute(attributes.stride, rank, 1)};
  lowering.emit(lowering.whole(node), [args, forward](const Call& call) mutable {
    if (forward) {  // x -> y, argmax
      args.x = call.in(0);
      args.y = call.out(0);
      args.argmax = call.out<std::uint8_t>(1);
      launch_max_pool(args, call.stream);
    } else {  // dy, argmax -> dx
      args.dy = call.in(0);
      args.argmax = reinterpret_cast<std::uint8_t*>(call.reads[1]);
      args.dx = call.out(0);
      launch_max_pool_backward(args, call.stream);
    }
  });
}

void lower_upsample(GraphLowering& lowering, const Node& node) {
  const bool forward = node.op == OpKind::kUpsampleNearest;
  if (forward && lowering.upsampled_into_concat(node.outputs[0]) != nullptr) {
    return;  // done by the concatenation
  }
  const ValueId x = forward ? node.inputs[0] : node.outputs[0];
  const ValueId y = forward ? node.outputs[0] : node.inputs[0];
  UpsampleArgs args{.dtype = lowering.value(x).dtype, .planes = planes(lowering, x, y)};
  lowering.emit(lowering.whole(node), [args, forward](const Call& call) mutable {
    args.from = call.in(0);
    args.to = call.out(0);
    if (forward) {
      launch_upsample(args, call.stream);
    } else {
      launch_upsample_backward(args, call.stream);
    }
  });
}

}  // namespace dlbench::backend::cuda
