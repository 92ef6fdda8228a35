// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/device_fault_watch.h"

#include "engine/core/error.h"
#include "harness/trials/device_fault.h"

namespace dlbench::harness {

DeviceFaultWatch::DeviceFaultWatch(const backend::DeviceInfo& device)
    : probes_(device, {.choice = ProbeChoice("nvml")}) {}

void DeviceFaultWatch::over(const std::string& what, const std::function<void()>& work) {
  naming_device_faults(work, [this] { return take_fault(); });
  if (const std::string fault = take_fault(); !fault.empty()) {
    throw core::Error(core::ErrorCode::kRun, what + ": " + fault);
  }
}

}  // namespace dlbench::harness
