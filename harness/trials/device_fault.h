// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A step that fails on a device says what the library saw of it; why may be known to the driver.
#pragma once

#include "engine/core/error.h"

#include <functional>
#include <string>

namespace dlbench::harness {

/// `error` with what `fault` says behind it ("; the GPU reported Xid 79"), kRun where the library
/// only refused; as it is if `fault` is empty or says nothing, or the user interrupted. Waits a
/// tenth of a second first: a call may fail before the driver's message arrives.
[[nodiscard]] core::Error with_device_fault(const core::Error& error,
                                            const std::function<std::string()>& fault);

/// Calls `work`; a core::Error that it throws is thrown with_device_fault(), but a NonFiniteLoss at
/// once.
void naming_device_faults(const std::function<void()>& work,
                          const std::function<std::string()>& fault);

}  // namespace dlbench::harness
