// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/device_launcher.cuh"
#include "engine/backend/cuda/kernels/losses.h"

namespace dlbench::backend::cuda {

void launch_dice_sums(const SegmentationArgs& args, float* sums, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_dice_sums(launcher, args, sums);
}

void launch_segmentation_counts(const SegmentationArgs& args,
                                float threshold,
                                float* counts,
                                StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_segmentation_counts(launcher, args, threshold, counts);
}

void launch_dice_loss(const float* sums, float smooth, float* loss, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_dice_loss(launcher, sums, smooth, loss);
}

void launch_dice_backward(const DiceBackwardArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_dice_backward(launcher, args);
}

void launch_log_softmax(const Matrix& shape, const float* x, float* y, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_log_softmax(launcher, shape, x, y);
}

void launch_log_softmax_backward(
    const Matrix& shape, const float* dy, const float* y, float* dx, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_log_softmax_backward(launcher, shape, dy, y, dx);
}

void launch_nll_loss(const Matrix& shape,
                     const float* logp,
                     const std::int32_t* label,
                     float* loss,
                     StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_nll_loss(launcher, shape, logp, label, loss);
}

void launch_nll_backward(const Matrix& shape,
                         const float* dloss,
                         const std::int32_t* label,
                         float* dlogp,
                         StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_nll_backward(launcher, shape, dloss, label, dlogp);
}

void launch_classification_counts(const Matrix& shape,
                                  const float* logp,
                                  const std::int32_t* label,
                                  float* counts,
                                  StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_classification_counts(launcher, shape, logp, label, counts);
}

}  // namespace dlbench::backend::cuda
