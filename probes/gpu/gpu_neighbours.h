// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Other processes that compute on the same GPU, and whether they disturb.
#pragma once

#include "probes/gpu/gpu_sensors.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::probes {

/// The processes of one job on a GPU.
struct OwnProcesses {
  std::int64_t pid = 0;  ///< of this one
  int count = 1;         ///< of the job, this one included
};

/// Foreign processes that computed on the GPU.
struct GpuNeighbours {
  double busy_share = 0.0;         ///< of the busiest one, 0 to 1; 0: there was none
  std::vector<std::int64_t> pids;  ///< if the driver's process numbers are ours
  std::int64_t count = 0;
};

/// Returns all processes but our own. In a container the driver uses the host's process numbers, so
/// our own number may be missing; then the busiest process counts as this one, which has just
/// computed. The numbers of the job's other processes are unknown: that many more are left out, the
/// busiest first.
[[nodiscard]] GpuNeighbours neighbours_among(std::vector<GpuProcess> processes,
                                             const OwnProcesses& own);

/// Says why they disturb, with the value and the limit; empty if they do not.
[[nodiscard]] std::string neighbours_text(const GpuNeighbours& neighbours);

}  // namespace dlbench::probes
