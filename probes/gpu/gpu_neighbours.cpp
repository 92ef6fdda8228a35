// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/gpu_neighbours.h"

#include "engine/core/disturbance_thresholds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

namespace dlbench::probes {

GpuNeighbours neighbours_among(std::vector<GpuProcess> processes, const OwnProcesses& own) {
  const bool numbered_alike = std::erase_if(processes, [&](const GpuProcess& process) {
                                return process.pid == own.pid;
                              }) > 0;
  std::ranges::stable_sort(processes, std::ranges::greater{}, &GpuProcess::busy_share);
  const auto unknown = static_cast<std::size_t>(own.count - (numbered_alike ? 1 : 0));
  processes.erase(
      processes.begin(),
      processes.begin() + static_cast<std::ptrdiff_t>(std::min(unknown, processes.size())));
  GpuNeighbours neighbours{.count = static_cast<std::int64_t>(processes.size())};
  if (!processes.empty()) {
    neighbours.busy_share = processes.front().busy_share;
  }
  if (numbered_alike && own.count == 1) {
    for (const GpuProcess& process : processes) {
      neighbours.pids.push_back(process.pid);
    }
  }
  return neighbours;
}

std::string neighbours_text(const GpuNeighbours& neighbours) {
  const double limit = core::DisturbanceThresholds{}.other_gpu_share;
  if (!(neighbours.busy_share > limit)) {
    return "";
  }
  constexpr std::size_t kMaxNamed = 4;
  const auto named = static_cast<std::ptrdiff_t>(std::min(neighbours.pids.size(), kMaxNamed));
  const std::string which =
      named == 0
          ? ""
          : fmt::format(" (process {}{})",
                        fmt::join(neighbours.pids.begin(), neighbours.pids.begin() + named, ", "),
                        neighbours.pids.size() > kMaxNamed ? ", ..." : "");
  return fmt::format("{} computed on the same GPU{}, up to {:.0f} % of the time (limit {:.0f} %)",
                     neighbours.count == 1 ? std::string("another process")
                                           : fmt::format("{} other processes", neighbours.count),
                     which,
                     100.0 * neighbours.busy_share,
                     100.0 * limit);
}

}  // namespace dlbench::probes
