// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The launches of launch.h as host loops: what links them instead of the .cu files runs the whole
// lowering of the CUDA backend on the host.
#include "engine/backend/cuda/kernels/batch_norm.h"
#include "engine/backend/cuda/kernels/channels.h"
#include "engine/backend/cuda/kernels/convert.h"
#include "engine/backend/cuda/kernels/dropout.h"
#include "engine/backend/cuda/kernels/loss_scaling.h"
#include "engine/backend/cuda/kernels/losses.h"
#include "engine/backend/cuda/kernels/optimizers.h"
#include "engine/backend/cuda/kernels/pointwise.h"
#include "engine/backend/cuda/kernels/pooling.h"
#include "engine/backend/cuda/kernels/shape_ops.h"
#include "tests/engine/backend/cuda_kernels/host_launcher.h"

namespace dlbench::backend::cuda {

void launch_batch_norm(const BatchNormArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_batch_norm(launcher, args, false);
}

void launch_batch_norm_inference(const BatchNormArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_batch_norm(launcher, args, true);
}

void launch_batch_norm_backward(const BatchNormBackwardArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_batch_norm_backward(launcher, args);
}

void launch_add_bias(const BiasArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_add_bias(launcher, args);
}

void launch_scale_channels(const ScaleChannelsArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_scale_channels(launcher, args);
}

void launch_channel_sums(const ChannelSumsArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_channel_sums(launcher, args);
}

void launch_normalize(const NormalizeArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_normalize(launcher, args);
}

void launch_cast(const CastArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_cast(launcher, args);
}

void launch_dropout(const DropoutArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_dropout(launcher, args);
}

void launch_dice_sums(const SegmentationArgs& args, float* sums, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_dice_sums(launcher, args, sums);
}

void launch_segmentation_counts(const SegmentationArgs& args,
                                float threshold,
                                float* counts,
                                StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_segmentation_counts(launcher, args, threshold, counts);
}

void launch_dice_loss(const float* sums, float smooth, float* loss, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_dice_loss(launcher, sums, smooth, loss);
}

void launch_dice_backward(const DiceBackwardArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_dice_backward(launcher, args);
}

void launch_log_softmax(const Matrix& shape, const float* x, float* y, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_log_softmax(launcher, shape, x, y);
}

void launch_log_softmax_backward(
    const Matrix& shape, const float* dy, const float* y, float* dx, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_log_softmax_backward(launcher, shape, dy, y, dx);
}

void launch_nll_loss(const Matrix& shape,
                     const float* logp,
                     const std::int32_t* label,
                     float* loss,
                     StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_nll_loss(launcher, shape, logp, label, loss);
}

void launch_nll_backward(const Matrix& shape,
                         const float* dloss,
                         const std::int32_t* label,
                         float* dlogp,
                         StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_nll_backward(launcher, shape, dloss, label, dlogp);
}

void launch_classification_counts(const Matrix& shape,
                                  const float* logp,
                                  const std::int32_t* label,
                                  float* counts,
                                  StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_classification_counts(launcher, shape, logp, label, counts);
}

void launch_optimizer(const OptimizerArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_optimizer(launcher, args);
}

void launch_optimizer_advance(const graph::OptimizerAttributes& attributes,
                              std::int64_t* step,
                              double* coefficients,
                              const float* found_inf,
                              StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_optimizer_advance(launcher, attributes, step, coefficients, found_inf);
}

void launch_unscale(const UnscaleArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_unscale(launcher, args);
}

void launch_loss_scale_update(const graph::LossScaleAttributes& rule,
                              const LossScaleState& state,
                              StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_loss_scale_update(launcher, rule, state);
}

void launch_pointwise(PointwiseOp op, const PointwiseArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_pointwise(launcher, op, args);
}

void launch_max_pool(const MaxPoolArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_max_pool(launcher, args, false);
}

void launch_max_pool_backward(const MaxPoolArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_max_pool(launcher, args, true);
}

void launch_upsample(const UpsampleArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_upsample(launcher, args, false);
}

void launch_upsample_backward(const UpsampleArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_upsample(launcher, args, true);
}

void launch_copy_channels(const CopyChannelsArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_copy_channels(launcher, args);
}

void launch_reshape(const ReshapeArgs& args, StreamHandle /*stream*/) {
  HostLauncher launcher;
  run_reshape(launcher, args);
}

}  // namespace dlbench::backend::cuda
