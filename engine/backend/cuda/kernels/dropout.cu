// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/device_launcher.cuh"
#include "engine/backend/cuda/kernels/dropout.h"

namespace dlbench::backend::cuda {

void launch_dropout(const DropoutArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_dropout(launcher, args);
}

}  // namespace dlbench::backend::cuda
