// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/device_probe.h"

namespace dlbench::backend::cuda {

const char* kernel_architectures() { return DLBENCH_CUDA_ARCHITECTURES; }

}  // namespace dlbench::backend::cuda
