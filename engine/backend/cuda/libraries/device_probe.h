// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Queries driver, device and libraries for their versions and properties.
#pragma once

#include "engine/backend/cuda/libraries/device_status.h"

#include <vector>

namespace dlbench::backend::cuda {

/// Whether to create a context on the device, which takes memory there and fails if the device is
/// in exclusive use.
enum class Attach { kNo, kYes };

/// Reads the status. Does not throw if something is missing, which the result then says. Uses
/// device `index` only if everything checked before it was found.
[[nodiscard]] DeviceStatus read_device_status(int index, Attach attach);

/// The status of every visible device, read without a context on any of them; if none is visible, a
/// single status that says why.
[[nodiscard]] std::vector<DeviceStatus> read_all_devices();

/// The architectures for which this build's own kernels are compiled: "75 80 90".
[[nodiscard]] const char* kernel_architectures();

}  // namespace dlbench::backend::cuda
