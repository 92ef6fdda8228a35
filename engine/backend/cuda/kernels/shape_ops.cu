// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/device_launcher.cuh"
#include "engine/backend/cuda/kernels/shape_ops.h"

namespace dlbench::backend::cuda {

void launch_copy_channels(const CopyChannelsArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_copy_channels(launcher, args);
}

void launch_reshape(const ReshapeArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_reshape(launcher, args);
}

}  // namespace dlbench::backend::cuda
