// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/device_probe.h"

namespace dlbench::backend::cuda {

// Those of host loops run anywhere: also the oldest that releases are built for.
const char* kernel_architectures() { return "75 90"; }

}  // namespace dlbench::backend::cuda
