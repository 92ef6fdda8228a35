// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses and metrics, in f32: mixed precision casts back before them.
#include "engine/backend/cuda/graph_lowering_internal.h"

#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;
using graph::ValueId;

/// As GraphLowering::whole(), but rejects inputs that are not f32.
Emission whole_f32(GraphLowering& lowering, const Node& node) {
  for (const ValueId id : node.inputs) {
    const core::DType dtype = lowering.value(id).dtype;
    if (core::is_float(dtype) && dtype != core::DType::kF32) {
      GraphLowering::refuse(
          node.name,
          "computes losses and metrics in f32, not in " + std::string(core::name(dtype)));
    }
  }
  return lowering.whole(node);
}

Matrix matrix(const core::Shape& shape) { return {shape[0], shape[1], shape[1]}; }

void lower_dice_sums(GraphLowering& lowering, const Node& node) {
  Emission emission = whole_f32(lowering, node);  // p, y -> sums
  SegmentationArgs args{.positions = lowering.value(node.inputs[0]).shape.elements()};
  emission.scratch_bytes = segmentation_scratch_bytes(args.positions);
  lowering.emit(std::move(emission), [args](const Call& call) mutable {
    args.p = call.in<float>(0);
    args.mask = call.in<std::uint8_t>(1);
    args.scratch = call.scratch;
    launch_dice_sums(args, call.out<float>(0), call.stream);
  });
}

void lower_dice_loss(GraphLowering& lowering, const Node& node) {
  const float smooth = node.as<graph::DiceAttributes>().smooth;
  lowering.emit(whole_f32(lowering, node), [smooth](const Call& call) {
    launch_dice_loss(call.in<float>(0), smooth, call.out<float>(0), call.stream);
  });
}

void lower_dice_backward(GraphLowering& lowering, const Node& node) {
  DiceBackwardArgs args{.positions = lowering.value(node.outputs[0]).shape.elements(),
                        .smooth = node.as<graph::DiceAttributes>().smooth};
  lowering.emit(whole_f32(lowering, node), [args](const Call& call) mutable {
    args.dloss = call.in<float>(0);
    args.mask = call.in<std::uint8_t>(1);
    args.sums = call.in<float>(2);
    args.dp = call.out<float>(0);
    launch_dice_backward(args, call.stream);
  });
}

}  // namespace

void lower_dice(GraphLowering& lowering, const Node& node) {
  switch (node.op) {
    case OpKind::kDiceSums:
      return lower_dice_sums(lowering, node);
    case OpKind::kDiceLoss:
      return lower_dice_loss(lowering, node);
    default:
      return lower_dice_backward(lowering, node);
  }
}

void lower_log_softmax(GraphLowering& lowering, const Node& node) {
  const Matrix shape = matrix(lowering.value(node.outputs[0]).shape);
  const bool forward = node.op == OpKind::kLogSoftmax;
  lowering.emit(whole_f32(lowering, node), [shape, forward](const Call& call) {
    if (forward) {
      launch_log_softmax(shape, call.in<float>(0), call.out<float>(0), call.stream);
    } else {
      launch_log_softmax_backward(
          shape, call.in<float>(0), call.in<float>(1), call.out<float>(0), call.stream);
    }
  });
}

void lower_nll(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kNllLoss) {
    const Matrix shape = matrix(lowering.value(node.inputs[0]).shape);
    return lowering.emit(whole_f32(lowering, node), [shape](const Call& call) {
      launch_nll_loss(
          shape, call.in<float>(0), call.in<std::int32_t>(1), call.out<float>(0), call.stream);
    });
  }
  const Matrix shape = matrix(lowering.value(node.outputs[0]).shape);
  lowering.emit(whole_f32(lowering, node), [shape](const Call& call) {
    launch_nll_backward(
        shape, call.in<float>(0), call.in<std::int32_t>(1), call.out<float>(0), call.stream);
  });
}

void lower_counts(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kClassificationCounts) {
    const Matrix shape = matrix(lowering.value(node.inputs[0]).shape);
    return lowering.emit(whole_f32(lowering, node), [shape](const Call& call) {
      launch_classification_counts(
          shape, call.in<float>(0), call.in<std::int32_t>(1), call.out<float>(0), call.stream);
    });
  }
  Emission emission = whole_f32(lowering, node);
  SegmentationArgs args{.positions = lowering.value(node.inputs[0]).shape.elements()};
  emission.scratch_bytes = segmentation_scratch_bytes(args.positions);
  const float threshold = node.as<graph::ThresholdAttributes>().threshold;
  lowering.emit(std::move(emission), [args, threshold](const Call& call) mutable {
    args.p = call.in<float>(0);
    args.mask = call.in<std::uint8_t>(1);
    args.scratch = call.scratch;
    launch_segmentation_counts(args, threshold, call.out<float>(0), call.stream);
  });
}

}  // namespace dlbench::backend::cuda
