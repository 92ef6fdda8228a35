// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Adds the driver's explanation to the error of a step that fails on a device.
#pragma once

#include <functional>
#include <string>

namespace dlbench::harness {

/// Calls `work`. Rethrows a core::Error from it with the text of `fault` appended ("; the GPU
/// reported Xid 79"), as kRun where the library only refused; unchanged if `fault` is empty or
/// returns nothing, or if the user interrupted. Calls `fault` a tenth of a second later, because a
/// call may fail before the driver's message arrives. Rethrows a NonFiniteLoss at once.
void naming_device_faults(const std::function<void()>& work,
                          const std::function<std::string()>& fault);

}  // namespace dlbench::harness
