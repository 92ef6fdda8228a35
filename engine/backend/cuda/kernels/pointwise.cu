// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/device_launcher.cuh"
#include "engine/backend/cuda/kernels/pointwise.h"

namespace dlbench::backend::cuda {

void launch_pointwise(PointwiseOp op, const PointwiseArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_pointwise(launcher, op, args);
}

void launch_sum(const SumArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_sum(launcher, args);
}

}  // namespace dlbench::backend::cuda
