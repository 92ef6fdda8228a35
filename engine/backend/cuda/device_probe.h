// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Asks driver, device and libraries what they are.
#pragma once

#include "engine/backend/cuda/device_status.h"

namespace dlbench::backend::cuda {

/// Never throws for what is missing: that is in the result. Touches device `index` only if all
/// before it was found.
[[nodiscard]] DeviceStatus read_device_status(int index);

}  // namespace dlbench::backend::cuda
