// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/concat.h"
#include "engine/backend/cuda/kernels/device_launcher.cuh"
#include "engine/backend/cuda/kernels/pooling.h"

namespace dlbench::backend::cuda {

void launch_max_pool(const MaxPoolArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_max_pool(launcher, args, false);
}

void launch_max_pool_backward(const MaxPoolArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_max_pool(launcher, args, true);
}

void launch_upsample(const UpsampleArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_upsample(launcher, args, false);
}

void launch_upsample_backward(const UpsampleArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_upsample(launcher, args, true);
}

void launch_concat(const ConcatArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_concat(launcher, args);
}

}  // namespace dlbench::backend::cuda
