// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// When other work on our CPUs or our GPU counts as a disturbance. Used where a repetition is judged
// (probes/node/disturbance.h) and where the validation of a report judges it again.
#pragma once

#include <algorithm>

namespace dlbench::core {

/// Limits beyond which a repetition counts as disturbed, fixed before anything is measured.
struct DisturbanceThresholds {
  /// CPU time of other processes on our CPUs, as a share of wall time x our CPUs. On 2 cores 5 % is
  /// a tenth of one core: a spinning OpenMP barrier passes that on to all threads.
  double other_cpu_share = 0.05;
  /// Steal time, as a share of wall time x our CPUs.
  double steal_share = 0.02;
  /// Involuntary context switches per second and CPU. Judged only when all threads of the benchmark
  /// fit on our CPUs: with more threads than CPUs it takes them from itself. Quiet 2-thread steps
  /// had 50 to 150 per run of several seconds, disturbed ones 2,000 to 23,000.
  double involuntary_switches_per_cpu_s = 100;
  /// Of the time of a sample of the driver's in which another process computed on our GPU: as much
  /// as the hypervisor may take of a CPU.
  double other_gpu_share = 0.02;
  /// /proc/stat counts in ticks of 10 ms: differences below this many seconds per CPU are no
  /// evidence.
  double tick_allowance_s = 0.03;

  /// CPU seconds that `share` allows in `wall_s` on `cpus` CPUs.
  [[nodiscard]] double limit_s(double share, double wall_s, double cpus) const {
    return std::max(share * wall_s, tick_allowance_s) * cpus;
  }
  /// Involuntary context switches in `wall_s` on `cpus` CPUs.
  [[nodiscard]] double limit_switches(double wall_s, double cpus) const {
    return involuntary_switches_per_cpu_s * std::max(wall_s, tick_allowance_s) * cpus;
  }
};

}  // namespace dlbench::core
