// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/device_launcher.cuh"
#include "engine/backend/cuda/kernels/optimizers.h"

namespace dlbench::backend::cuda {

void launch_optimizer(const OptimizerArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_optimizer(launcher, args);
}

void launch_optimizer_advance(const graph::OptimizerAttributes& attributes,
                              std::int64_t* step,
                              double* coefficients,
                              const float* found_inf,
                              StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_optimizer_advance(launcher, attributes, step, coefficients, found_inf);
}

}  // namespace dlbench::backend::cuda
