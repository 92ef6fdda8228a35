// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/device_fault_watch.h"

#include "engine/core/error.h"
#include "harness/trials/device_fault.h"

#include <utility>

namespace dlbench::harness {

DeviceFaultWatch::DeviceFaultWatch(const backend::DeviceInfo& device,
                                   int processes,
                                   OpenFailure failure,
                                   std::unique_ptr<probes::Probe> probe)
    : probe_(std::move(probe)) {
  if (!open_on_device(device, "", processes, *probe_, failure).empty()) {
    probe_.reset();
  }
}

void DeviceFaultWatch::begin() {
  if (probe_) {
    static_cast<void>(probe_->conditions_now());
  }
}

probes::DeviceFault DeviceFaultWatch::take_fault() {
  return probe_ ? probe_->take_fault() : probes::DeviceFault{};
}

probes::DeviceConditions DeviceFaultWatch::conditions() {
  probes::DeviceConditions now = probe_ ? probe_->conditions_now() : probes::DeviceConditions{};
  now.reported = take_fault();
  return now;
}

void DeviceFaultWatch::run_watched(const std::string& what, const std::function<void()>& work) {
  naming_device_faults(work, [this] { return take_fault().possible_cause; });
  if (const std::string fault = take_fault().fault; !fault.empty()) {
    throw core::Error(core::ErrorCode::kRun, what + ": " + fault);
  }
}

}  // namespace dlbench::harness
