// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/batch_norm.h"
#include "engine/backend/cuda/kernels/device_launcher.cuh"

namespace dlbench::backend::cuda {

void launch_batch_norm(const BatchNormArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_batch_norm(launcher, args, false);
}

void launch_batch_norm_inference(const BatchNormArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_batch_norm(launcher, args, true);
}

void launch_batch_norm_backward(const BatchNormBackwardArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_batch_norm_backward(launcher, args);
}

}  // namespace dlbench::backend::cuda
