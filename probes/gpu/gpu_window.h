// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a GPU monitor saw while a window was open.
#pragma once

#include "probes/gpu/gpu_neighbours.h"
#include "probes/gpu/gpu_sensors.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dlbench::probes {

/// What was seen between GpuMonitor's begin_window() and end_window().
struct GpuWindow {
  std::int64_t begin_ns = 0;  ///< steady clock
  std::int64_t end_ns = 0;
  double monitor_cpu_s = 0.0;  ///< CPU time of all that watching cost, in the caller's thread too
  /// The first before any work, the last at the window's end. Empty where only sums are kept.
  std::vector<GpuSample> samples;
  std::vector<GpuFault> watched_faults;     ///< which `events` would have
  std::vector<GpuEvent> events;             ///< those since the window before, too
  std::optional<GpuNeighbours> neighbours;  ///< absent: the driver does not tell
};

}  // namespace dlbench::probes
