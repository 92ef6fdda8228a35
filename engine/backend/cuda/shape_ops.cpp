// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops that move elements with little or no arithmetic: images to floats, concatenation, slices,
// reshapes, dropout.
#include "engine/backend/cuda/graph_lowering_internal.h"
#include "engine/graph/spatial.h"

#include <cstddef>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;
using graph::ValueId;

void lower_concat(GraphLowering& lowering, const Node& node) {
  const ValueId y = node.outputs[0];
  Emission emission = lowering.whole(node);
  ConcatArgs args{.y_stride = lowering.layout(y).stride,
                  .batch = lowering.layout(y).batch,
                  .extents = {1, 1, lowering.layout(y).spatial},
                  .dtype = lowering.value(y).dtype};
  for (std::size_t index = 0; index < node.inputs.size(); ++index) {
    const ValueId id = node.inputs[index];
    ConcatArgs::Part part{.stride = lowering.layout(id).stride,
                          .channels = lowering.layout(id).channels};
    if (const Node* up = lowering.upsampled_into_concat(id); up != nullptr) {
      const ValueId x = up->inputs[0];
      const graph::Spatial extents = graph::spatial_extents(lowering.value(x).shape);
      args.extents = graph::spatial_extents(lowering.value(y).shape);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        part.factors[axis] = args.extents[axis] / extents[axis];
      }
      part.stride = lowering.layout(x).stride;
      emission.covers.push_back(up->id);
      emission.reads[index] = lowering.read(x);
      emission.kernel_name = "own:upsample+concat";
    }
    args.parts.push_back(part);
  }
  lowering.emit(std::move(emission), [args](const Call& call) mutable {
    for (std::size_t i = 0; i < args.parts.size(); ++i) {
      args.parts[i].x = call.reads[i];
    }
    args.y = call.writes[0];
    launch_concat(args, call.stream);
  });
}

void lower_slice(GraphLowering& lowering, const Node& node) {
  if (lowering.is_range(node.outputs[0])) {
    return lowering.absorb(node.id);
  }
  const auto& attributes = node.as<graph::SliceAttributes>();
  const ChannelsLast x = lowering.layout(node.inputs[0]);
  CopyChannelsArgs args{.x_stride = x.stride,
                        .x_begin = attributes.begin,
                        .y_stride = lowering.layout(node.outputs[0]).stride,
                        .count = attributes.extent,
                        .positions = x.positions(),
                        .dtype = lowering.value(node.inputs[0]).dtype,
                        .clear_rest = true};
  lowering.emit(lowering.whole(node), [args](const Call& call) mutable {
    args.x = call.in(0);
    args.y = call.out(0);
    launch_copy_channels(args, call.stream);
  });
}

void lower_slice_backward(GraphLowering& lowering, const Node& node) {
  const auto& attributes = node.as<graph::SliceAttributes>();
  const ChannelsLast dy = lowering.layout(node.inputs[0]);
  CopyChannelsArgs args{.x_stride = dy.stride,
                        .y_stride = lowering.layout(node.outputs[0]).stride,
                        .y_begin = attributes.begin,
                        .count = attributes.extent,
                        .positions = dy.positions(),
                        .dtype = lowering.value(node.inputs[0]).dtype,
                        .clear_before = true,
                        .clear_rest = true};
  lowering.emit(lowering.whole(node), [args](const Call& call) mutable {
    args.x = call.in(0);
    args.y = call.out(0);
    launch_copy_channels(args, call.stream);
  });
}

/// The layout in memory: tensors of rank 3 and above 5 are row-major, that is, have one channel.
ChannelsLast physical_layout(const graph::Value& value) {
  return lies_channels_last(value) ? channels_last(value.shape) : row_major(value.shape);
}

void lower_reshape(GraphLowering& lowering, const Node& node) {
  const graph::Value& x = lowering.value(node.inputs[0]);
  ReshapeArgs args{.x_layout = physical_layout(x),
                   .y_layout = physical_layout(lowering.value(node.outputs[0])),
                   .dtype = x.dtype};
  Emission emission = lowering.whole(node);
  emission.reads = {GraphLowering::slot(x.id)};  // an input is read in logical order
  lowering.emit(std::move(emission), [args](const Call& call) mutable {
    args.x = call.in(0);
    args.y = call.out(0);
    launch_reshape(args, call.stream);
  });
}

}  // namespace

void lower_shape_op(GraphLowering& lowering, const Node& node) {
  switch (node.op) {
    case OpKind::kConcat:
      return lower_concat(lowering, node);
    case OpKind::kSlice:
      return lower_slice(lowering, node);
    case OpKind::kSliceBackward:
      return lower_slice_backward(lowering, node);
    default:
      return lower_reshape(lowering, node);
  }
}

void lower_normalize(GraphLowering& lowering, const Node& node) {
  const graph::Value& x = lowering.value(node.inputs[0]);
  const graph::Value& y = lowering.value(node.outputs[0]);
  if (x.storage != graph::Storage::kInput || y.shape[1] > kMaxImageChannels) {
    GraphLowering::refuse(node.name, "normalises images of the loader, with at most 16 channels");
  }
  NormalizeArgs args{.dtype = y.dtype,
                     .layout = lowering.layout(y.id),
                     .attributes = node.as<graph::NormalizeAttributes>()};
  lowering.emit({.covers = {node.id},
                 .reads = {GraphLowering::slot(x.id)},  // (N, H, W, C) as bound
                 .writes = {GraphLowering::slot(y.id)},
                 .kernel_name = "own:normalize_image"},
                [args](const Call& call) mutable {
                  args.x = call.in<std::uint8_t>(0);
                  args.y = call.out(0);
                  launch_normalize(args, call.stream);
                });
}

void lower_dropout(GraphLowering& lowering, const Node& node) {
  const ValueId y = node.outputs[0];
  DropoutArgs args{.dtype = lowering.value(y).dtype,
                   .layout = lowering.layout(y),
                   .attributes = node.as<graph::DropoutAttributes>()};
  lowering.emit(lowering.whole(node), [args](const Call& call) mutable {
    args.x = call.in(0);
    args.seed = call.in<std::int64_t>(1);
    args.step = call.in<std::int64_t>(2);
    args.first_sample = call.in<std::int64_t>(3);
    args.y = call.out(0);
    launch_dropout(args, call.stream);
  });
}

}  // namespace dlbench::backend::cuda
