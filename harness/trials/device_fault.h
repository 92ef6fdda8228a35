// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A step that fails on a device says what the library saw of it; why may be known to the driver.
#pragma once

#include <functional>
#include <string>

namespace dlbench::harness {

/// Calls `work`. A core::Error that it throws is thrown on with what `fault` says behind its text
/// ("; the GPU reported Xid 79"), as kRun where the library only refused; as it is if `fault` is
/// empty or says nothing, or the user interrupted. `fault` is asked a tenth of a second later: a
/// call may fail before the driver's message arrives. A NonFiniteLoss is thrown on at once.
void naming_device_faults(const std::function<void()>& work,
                          const std::function<std::string()>& fault);

}  // namespace dlbench::harness
