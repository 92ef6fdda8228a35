// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel_list.h"

#include "engine/core/check.h"

namespace dlbench::backend::ref {
namespace {

using graph::OpKind;

struct KernelRow {
  OpKind op;
  KernelFunction run;
};

// In the order of OpKind.
constexpr KernelRow kKernelRows[] = {
    {OpKind::kNormalizeImage, normalize_image},
    {OpKind::kCast, cast},
    {OpKind::kConv, conv},
    {OpKind::kConvBackwardData, conv_backward_data},
    {OpKind::kConvBackwardWeights, conv_backward_weights},
    {OpKind::kConvTranspose, conv_transpose},
    {OpKind::kBatchNorm, batch_norm},
    {OpKind::kBatchNormInference, batch_norm_inference},
    {OpKind::kBatchNormBackward, batch_norm_backward},
    {OpKind::kRelu, relu},
    {OpKind::kReluBackward, relu_backward},
    {OpKind::kSigmoid, sigmoid},
    {OpKind::kSigmoidBackward, sigmoid_backward},
    {OpKind::kAdd, add},
    {OpKind::kMultiply, multiply},
    {OpKind::kAddBias, add_bias},
    {OpKind::kAddBiasBackward, add_bias_backward},
    {OpKind::kScaleChannels, scale_channels},
    {OpKind::kScaleChannelsBackwardGate, scale_channels_backward_gate},
    {OpKind::kGlobalAvgPool, global_avg_pool},
    {OpKind::kGlobalAvgPoolBackward, global_avg_pool_backward},
    {OpKind::kMaxPool, max_pool},
    {OpKind::kMaxPoolBackward, max_pool_backward},
    {OpKind::kUpsampleNearest, upsample_nearest},
    {OpKind::kUpsampleNearestBackward, upsample_nearest_backward},
    {OpKind::kLinear, linear},
    {OpKind::kLinearBackwardData, linear_backward_data},
    {OpKind::kLinearBackwardWeights, linear_backward_weights},
    {OpKind::kConcat, concat},
    {OpKind::kSlice, slice},
    {OpKind::kSliceBackward, slice_backward},
    {OpKind::kReshape, reshape},
    {OpKind::kDropout, dropout},
    {OpKind::kDropoutBackward, dropout},
    {OpKind::kDiceSums, dice_sums},
    {OpKind::kDiceLoss, dice_loss},
    {OpKind::kDiceBackward, dice_backward},
    {OpKind::kLogSoftmax, log_softmax},
    {OpKind::kLogSoftmaxBackward, log_softmax_backward},
    {OpKind::kNllLoss, nll_loss},
    {OpKind::kNllBackward, nll_backward},
    {OpKind::kSegmentationCounts, segmentation_counts},
    {OpKind::kClassificationCounts, classification_counts},
    {OpKind::kAllReduceStart, nullptr},
    {OpKind::kAllReduceWait, nullptr},
    {OpKind::kOptimizerAdvance, optimizer_advance},
    {OpKind::kSgd, sgd},
    {OpKind::kAdam, adam},
    {OpKind::kNadam, nadam},
    {OpKind::kAdadelta, adadelta},
    {OpKind::kUnscaleGradients, unscale_gradients},
    {OpKind::kUpdateLossScale, update_loss_scale},
};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < std::size(kKernelRows); ++i) {
    if (static_cast<std::size_t>(kKernelRows[i].op) != i) {
      return false;
    }
  }
  return true;
}
static_assert(std::size(kKernelRows) == graph::kOpCount && rows_are_in_order());

}  // namespace

KernelFunction kernel_of(OpKind op) { return kKernelRows[static_cast<std::size_t>(op)].run; }

}  // namespace dlbench::backend::ref
