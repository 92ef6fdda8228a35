// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/device_launcher.cuh"
#include "engine/backend/cuda/kernels/loss_scaling.h"

namespace dlbench::backend::cuda {

void launch_unscale(const UnscaleArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_unscale(launcher, args);
}

void launch_loss_scale_update(const graph::LossScaleAttributes& rule,
                              const LossScaleState& state,
                              StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_loss_scale_update(launcher, rule, state);
}

}  // namespace dlbench::backend::cuda
