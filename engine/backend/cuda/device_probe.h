// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Asks driver, device and libraries what they are.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/cuda/device_status.h"

namespace dlbench::backend::cuda {

/// `device_index`; if that is negative, the device that the rank was placed at, where all of the
/// host's are visible; else that of the `local_rank`-th rank of this host, ranks beyond the last
/// device beginning again at the first one.
[[nodiscard]] int choose_device(const BackendOptions& options);

/// Whether to make a context on the device, which takes memory there and fails if it is in
/// exclusive use.
enum class Attach { kNo, kYes };

/// Never throws for what is missing: that is in the result. Touches device `index` only if all
/// before it was found.
[[nodiscard]] DeviceStatus read_device_status(int index, Attach attach);

}  // namespace dlbench::backend::cuda
