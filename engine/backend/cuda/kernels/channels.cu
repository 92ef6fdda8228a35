// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/channels.h"
#include "engine/backend/cuda/kernels/device_launcher.cuh"

namespace dlbench::backend::cuda {

void launch_add_bias(const BiasArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_add_bias(launcher, args);
}

void launch_scale_channels(const ScaleChannelsArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_scale_channels(launcher, args);
}

void launch_channel_sums(const ChannelSumsArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_channel_sums(launcher, args);
}

}  // namespace dlbench::backend::cuda
