// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/conv_samples.h"
#include "engine/backend/cuda/kernels/device_launcher.cuh"

namespace dlbench::backend::cuda {

void launch_random_values(const RandomValuesArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_random_values(launcher, args);
}

void launch_conv_samples(const ConvSamplesArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_conv_samples(launcher, args);
}

void launch_gather(const GatherArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_gather(launcher, args);
}

}  // namespace dlbench::backend::cuda
