// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From the windows of a GPU monitor to the values of a report, and to the judgement of one window.
#pragma once

#include "probes/gpu/gpu_sums.h"
#include "probes/probe.h"

#include <string>
#include <vector>

namespace dlbench::probes {

/// What gpu_values() gives, in its order.
[[nodiscard]] const std::vector<ValueSpec>& gpu_value_specs();

/// Over all windows of a trial. A sample's value stands for the time since the one before it that
/// has it too (not all are asked for each time), the first of a window for none: it was taken
/// before any work, and only counters begin with it. Clocks, their reasons and busy shares are of
/// the samples that the device does not call idle; where there are none they have no number. Shares
/// of clock reasons count the samples that tell them, other means are over time.
///
/// Energy is dE / dt of the driver's counter between its second and last change in a window, times
/// the window's length, if the counter changed five times or more in every window; else the
/// integral of the power, if every window has five samples of it. `source` says which: counter or
/// power. Beside it that integral, which should agree with the counter within a few percent over
/// seconds; where one is twice the other or more, there is no energy.
///
/// No windows: values without numbers.
[[nodiscard]] std::vector<ProbeValue> gpu_values(const GpuIdentity& gpu, const GpuSums& sums);
/// The values of sums over `windows` that kept their samples.
[[nodiscard]] std::vector<ProbeValue> gpu_values(const GpuIdentity& gpu,
                                                 const std::vector<GpuWindow>& windows);

/// How the GPU fared in one window, by the samples that saw it at work. An Xid that is neither of
/// an application nor of repaired memory, an uncorrected memory error or a lost device is a fault.
/// `sums`: of that window.
[[nodiscard]] DeviceConditions judge_window(const GpuIdentity& gpu,
                                            const GpuSums& sums,
                                            const std::vector<GpuEvent>& events);
[[nodiscard]] DeviceConditions judge_window(const GpuIdentity& gpu, const GpuWindow& window);

/// Who else computed, and whether that disturbs.
void note_neighbours(const GpuNeighbours& neighbours, DeviceConditions& conditions);

/// The same by one sample: of a GPU that calls itself idle, nothing. Without faults.
[[nodiscard]] DeviceConditions judge_moment(const GpuSample& sample);

/// The first of the events that are faults, and as possible cause the first that may be one: also
/// of an application and, if there is no other, of repaired memory.
[[nodiscard]] DeviceFault first_fault(const GpuIdentity& gpu, const std::vector<GpuEvent>& events);

}  // namespace dlbench::probes
