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
                              const LossScaling& scaling,
                              StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_optimizer_advance(launcher, attributes, step, coefficients, scaling);
}

void launch_check_finite(const void* gradients,
                         core::DType dtype,
                         Index elements,
                         float* found_inf,
                         StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_check_finite(launcher, gradients, dtype, elements, found_inf);
}

void launch_loss_scale_update(const LossScaleRule& rule,
                              const LossScaling& scaling,
                              StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_loss_scale_update(launcher, rule, scaling);
}

}  // namespace dlbench::backend::cuda
