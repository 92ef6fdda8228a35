// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From the windows of a GPU monitor to the values of a report, and to the judgement of one window.
#pragma once

#include "probes/gpu_monitor.h"
#include "probes/probe.h"

#include <vector>

namespace dlbench::probes {

/// What gpu_values() gives, in its order.
[[nodiscard]] const std::vector<ValueSpec>& gpu_value_specs();

/// Over all windows of a trial. Means are over time, by the trapezoid rule between samples; energy
/// is the difference of the driver's counter, and beside it the integral of the power samples,
/// which should agree with it within a few percent over seconds. Shares of clock reasons count
/// samples. No windows: values without numbers.
[[nodiscard]] std::vector<ProbeValue> gpu_values(const GpuIdentity& gpu,
                                                 const std::vector<GpuWindow>& windows);

/// How the GPU fared in one window. An Xid, an uncorrected memory error or a lost device is a
/// fault.
[[nodiscard]] DeviceConditions judge_window(const GpuIdentity& gpu, const GpuWindow& window);

}  // namespace dlbench::probes
