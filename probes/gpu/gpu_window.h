// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The observations of a GPU monitor during one window.
#pragma once

#include "probes/gpu/gpu_neighbours.h"
#include "probes/gpu/gpu_sensors.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dlbench::probes {

/// What was observed between GpuMonitor's begin_window() and end_window().
struct GpuWindow {
  std::int64_t begin_ns = 0;  ///< steady clock
  std::int64_t end_ns = 0;
  double monitor_cpu_s = 0.0;  ///< CPU time of all monitoring, including the caller's thread
  /// The first one before any work, the last one at the window's end. Empty if only sums are kept.
  std::vector<GpuSample> samples;
  std::vector<GpuFault> watched_faults;     ///< faults that `events` can contain
  std::vector<GpuEvent> events;             ///< including those since the previous window
  std::optional<GpuNeighbours> neighbours;  ///< absent: not reported by the driver
};

}  // namespace dlbench::probes
