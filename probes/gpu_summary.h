// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts the windows of a GPU monitor to the values of a report, and judges single windows.
#pragma once

#include "probes/gpu/gpu_sums.h"
#include "probes/probe.h"

#include <string>
#include <vector>

namespace dlbench::probes {

/// The values of gpu_values(), in their order.
[[nodiscard]] const std::vector<ValueSpec>& gpu_value_specs();

/// Returns the values over all windows of a trial. A sample's value stands for the time since the
/// previous sample that has it (not all sensors are read each time), the first one of a window for
/// no time: it precedes any work, so only counters start from it. Clocks, their reasons and busy
/// shares use only samples in which the device is not idle; without such samples they have no
/// number. Shares of clock reasons count the samples that have them, other means are over time.
///
/// Energy is dE / dt of the driver's counter between its second and last change in a window, times
/// the window's length, if the counter changed at least five times in every window; else the
/// integral of the power, if every window has five samples of it. `source` says which: counter or
/// power. The integral is also reported and should agree with the counter within a few percent over
/// seconds; if they differ by a factor of two or more, there is no energy.
///
/// Without windows: values without numbers.
[[nodiscard]] std::vector<ProbeValue> gpu_values(const GpuIdentity& gpu, const GpuSums& sums);
/// Returns the values of sums over `windows` that kept their samples.
[[nodiscard]] std::vector<ProbeValue> gpu_values(const GpuIdentity& gpu,
                                                 const std::vector<GpuWindow>& windows);

/// Judges one window by the samples that saw the GPU at work. An Xid that is not an application's,
/// an uncorrected memory error or a lost device is a fault. `sums`: of that window.
[[nodiscard]] DeviceConditions judge_window(const GpuIdentity& gpu,
                                            const GpuSums& sums,
                                            const std::vector<GpuEvent>& events);
[[nodiscard]] DeviceConditions judge_window(const GpuIdentity& gpu, const GpuWindow& window);

/// Adds which foreign processes computed, and whether they disturb.
void note_neighbours(const GpuNeighbours& neighbours, DeviceConditions& conditions);

/// Judges one sample, without faults; a GPU that reports itself idle has no conditions.
[[nodiscard]] DeviceConditions judge_moment(const GpuSample& sample);

/// Returns the first event that is a fault, and the first one that is not an application's.
[[nodiscard]] DeviceFault first_fault(const GpuIdentity& gpu, const std::vector<GpuEvent>& events);

}  // namespace dlbench::probes
