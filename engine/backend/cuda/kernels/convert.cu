// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/kernels/convert.h"
#include "engine/backend/cuda/kernels/device_launcher.cuh"

namespace dlbench::backend::cuda {

void launch_normalize(const NormalizeArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_normalize(launcher, args);
}

void launch_cast(const CastArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_cast(launcher, args);
}

void launch_cast_many(const CastManyArgs& args, StreamHandle stream) {
  DeviceLauncher launcher(stream);
  run_cast_many(launcher, args);
}

}  // namespace dlbench::backend::cuda
