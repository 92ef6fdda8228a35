// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The faults of a device, its clocks and neighbours, for commands that open no probes to report
// them.
#pragma once

#include "engine/backend/backend.h"
#include "harness/trials/open_probe.h"
#include "probes/probe.h"
#include "probes/registry.h"

#include <functional>
#include <memory>
#include <string>

namespace dlbench::harness {

/// The probe that asks a GPU's driver.
inline constexpr const char* kDeviceMonitor = "nvml";

/// What a GPU's driver reports: an Xid, an uncorrected memory error, a lost device, throttled
/// clocks, work for other processes. Nothing runs between calls. Reports nothing for other devices.
class DeviceFaultWatch {
 public:
  /// `processes`: number of this job's processes on that device. `probe` queries the driver.
  explicit DeviceFaultWatch(
      const backend::DeviceInfo& device,
      int processes = 1,
      OpenFailure failure = OpenFailure::kWarns,
      std::unique_ptr<probes::Probe> probe = probes::make_probe(kDeviceMonitor));

  /// Begins a window: conditions() has the neighbours from now on. Faults of before stay.
  void begin();
  /// Returns what was reported since the last call; empty: nothing.
  [[nodiscard]] probes::DeviceFault take_fault();
  /// Returns that, the current clocks (best right after work), and who else computed on the device
  /// since the last call or begin().
  [[nodiscard]] probes::DeviceConditions conditions();
  /// Calls `work` with naming_device_faults(). Throws core::Error(kRun), beginning with `what`, if
  /// work succeeds but a fault was reported.
  void run_watched(const std::string& what, const std::function<void()>& work);

 private:
  std::unique_ptr<probes::Probe> probe_;  ///< nullptr: it does not support this device
};

}  // namespace dlbench::harness
