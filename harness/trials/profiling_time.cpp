// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/profiling_time.h"

#include <algorithm>

namespace dlbench::harness {

std::int64_t profiled_repetitions(const ProbeSet& probes,
                                  const std::vector<std::unique_ptr<Arm>>& arms,
                                  bool traces) {
  std::int64_t repetitions = 0;
  for (const probes::Probe* probe : probes.with_own_repetition()) {
    repetitions += std::ranges::count_if(
        arms, [probe](const auto& arm) { return sees_trial(probe->spec(), arm->id()); });
    traces = traces && !probe->spec().on_timeline;
  }
  return repetitions + (traces ? std::ssize(arms) : 0);
}

double profiling_share_s(double budget_s, std::int64_t repetitions) {
  const double each_s = 2.0 * ProfilingRequest{}.seconds;  // it settles before
  return std::min(each_s * static_cast<double>(repetitions), budget_s / 3.0);
}

void fit_profiling(double left_s, std::int64_t repetitions, ProfilingRequest& request) {
  constexpr double kMinS = 0.2;
  const double each_s =
      std::max(left_s / static_cast<double>(std::max<std::int64_t>(repetitions, 1)), kMinS);
  request.seconds = std::min(request.seconds, 0.5 * each_s);
  request.max_seconds = std::min(request.max_seconds, each_s - request.seconds);
}

}  // namespace dlbench::harness
