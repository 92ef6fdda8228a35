// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The faults of a device, its clocks and neighbours, for commands whose probes do not tell them:
// they open none.
#pragma once

#include "engine/backend/backend.h"
#include "probes/probe.h"
#include "probes/registry.h"

#include <functional>
#include <memory>
#include <string>

namespace dlbench::harness {

/// What the driver of a GPU reports of it: an Xid, an uncorrected memory error, that it is lost,
/// that it holds its clocks back or computes for others. Between calls nothing runs. Of a device
/// that is no GPU, nothing.
class DeviceFaultWatch {
 public:
  /// `processes`: of this job on that device. `probe`: what asks the driver.
  explicit DeviceFaultWatch(const backend::DeviceInfo& device,
                            int processes = 1,
                            std::unique_ptr<probes::Probe> probe = probes::make_probe("nvml"));

  /// What was reported since the last call; empty: nothing.
  [[nodiscard]] probes::DeviceFault take_fault();
  /// That, its clocks at this moment, best right after work, and who else computed on it since the
  /// last call.
  [[nodiscard]] probes::DeviceConditions conditions();
  /// Calls `work`, naming_device_faults(). Throws core::Error(kRun), beginning with `what`, where
  /// nothing fails in it and a fault was reported all the same.
  void run_watched(const std::string& what, const std::function<void()>& work);

 private:
  std::unique_ptr<probes::Probe> probe_;  ///< none: it cannot tell of this device
};

}  // namespace dlbench::harness
