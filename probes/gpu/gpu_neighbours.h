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

/// Processes of others that computed on the GPU.
struct GpuNeighbours {
  double busy_share = 0.0;         ///< of the busiest one, 0 to 1; 0: there was none
  std::vector<std::int64_t> pids;  ///< where the driver numbers processes as we do
  std::int64_t count = 0;
};

/// All but our own. The driver numbers processes of a container as the host does, so that our own
/// number may not be among them; then the busiest one counts as this process, for it has just
/// computed. Of other processes of the job the numbers are not known: as many more are left out,
/// the busiest first.
[[nodiscard]] GpuNeighbours neighbours_among(std::vector<GpuProcess> processes,
                                             const OwnProcesses& own);

/// Why they disturb, with the value and the limit; empty: they do not.
[[nodiscard]] std::string neighbours_text(const GpuNeighbours& neighbours);

}  // namespace dlbench::probes
