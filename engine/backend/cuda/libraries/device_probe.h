// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Asks driver, device and libraries what they are.
#pragma once

#include "engine/backend/cuda/libraries/device_status.h"

#include <vector>

namespace dlbench::backend::cuda {

/// Whether to make a context on the device, which takes memory there and fails if it is in
/// exclusive use.
enum class Attach { kNo, kYes };

/// Never throws for what is missing: that is in the result. Touches device `index` only if all
/// before it was found.
[[nodiscard]] DeviceStatus read_device_status(int index, Attach attach);

/// The state of every visible device, found without a context on any of them; where none is
/// visible, one state that says why.
[[nodiscard]] std::vector<DeviceStatus> read_all_devices();

/// What the own kernels of this build are compiled for: "75 80 90".
[[nodiscard]] const char* kernel_architectures();

}  // namespace dlbench::backend::cuda
