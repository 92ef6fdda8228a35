// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which ops share a lowering rule. A backend that lowers by families defines the functions called
// here next to its own lowering class; the compiler finds them by argument-dependent lookup.
#pragma once

#include "engine/graph/graph.h"

namespace dlbench::backend {

/// Calls the rule of the node's family with (lowering, node). All-reduces, which have no kernel,
/// are passed to lowering.emit_communication(node).
template <typename Lowering>
void lower_by_family(Lowering& lowering, const graph::Node& node) {
  using graph::OpKind;
  switch (node.op) {
    case OpKind::kNormalizeImage:
      return lower_normalize(lowering, node);
    case OpKind::kCast:
      return lower_cast(lowering, node);
    case OpKind::kConv:
    case OpKind::kConvBackwardData:
    case OpKind::kConvBackwardWeights:
    case OpKind::kConvTranspose:
      return lower_convolution(lowering, node);
    case OpKind::kBatchNorm:
    case OpKind::kBatchNormInference:
    case OpKind::kBatchNormBackward:
      return lower_batch_norm(lowering, node);
    case OpKind::kRelu:
    case OpKind::kReluBackward:
    case OpKind::kSigmoid:
    case OpKind::kSigmoidBackward:
    case OpKind::kAdd:
    case OpKind::kMultiply:
      return lower_pointwise(lowering, node);
    case OpKind::kAddBias:
    case OpKind::kAddBiasBackward:
      return lower_add_bias(lowering, node);
    case OpKind::kScaleChannels:
    case OpKind::kScaleChannelsBackwardGate:
      return lower_scale_channels(lowering, node);
    case OpKind::kGlobalAvgPool:
    case OpKind::kGlobalAvgPoolBackward:
      return lower_global_average(lowering, node);
    case OpKind::kMaxPool:
    case OpKind::kMaxPoolBackward:
      return lower_max_pool(lowering, node);
    case OpKind::kUpsampleNearest:
    case OpKind::kUpsampleNearestBackward:
      return lower_upsample(lowering, node);
    case OpKind::kLinear:
    case OpKind::kLinearBackwardData:
    case OpKind::kLinearBackwardWeights:
      return lower_linear(lowering, node);
    case OpKind::kConcat:
    case OpKind::kSlice:
    case OpKind::kSliceBackward:
    case OpKind::kReshape:
      return lower_shape_op(lowering, node);
    case OpKind::kDropout:
    case OpKind::kDropoutBackward:
      return lower_dropout(lowering, node);
    case OpKind::kDiceSums:
    case OpKind::kDiceLoss:
    case OpKind::kDiceBackward:
      return lower_dice(lowering, node);
    case OpKind::kLogSoftmax:
    case OpKind::kLogSoftmaxBackward:
      return lower_log_softmax(lowering, node);
    case OpKind::kNllLoss:
    case OpKind::kNllBackward:
      return lower_nll(lowering, node);
    case OpKind::kSegmentationCounts:
    case OpKind::kClassificationCounts:
      return lower_counts(lowering, node);
    case OpKind::kAllReduceStart:
    case OpKind::kAllReduceWait:
      return lowering.emit_communication(node);
    case OpKind::kOptimizerAdvance:
    case OpKind::kSgd:
    case OpKind::kAdam:
    case OpKind::kNadam:
    case OpKind::kAdadelta:
      return lower_optimizer(lowering, node);
    case OpKind::kUnscaleGradients:
    case OpKind::kUpdateLossScale:
      return lower_loss_scaling(lowering, node);
  }
}

}  // namespace dlbench::backend
