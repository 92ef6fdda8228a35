// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Above which level other work on our CPUs or our GPU counts as a disturbance. Used where a
// repetition is judged (probes/node/disturbance.h) and again where a report is validated.
#pragma once

#include <algorithm>

namespace dlbench::core {

/// Limits beyond which a repetition counts as disturbed, fixed before anything is measured.
struct DisturbanceThresholds {
  /// CPU time of other processes on our CPUs, as a share of wall time x our CPUs. On 2 cores 5 % is
  /// a tenth of one core, and a spinning OpenMP barrier makes all threads wait for that core.
  double other_cpu_share = 0.05;
  /// Steal time, as a share of wall time x our CPUs.
  double steal_share = 0.02;
  /// Involuntary context switches per second and CPU. Judged only when all threads of the benchmark
  /// fit on our CPUs: otherwise its own threads preempt each other. Quiet 2-thread steps had 50 to
  /// 150 per run of several seconds, disturbed ones 2,000 to 23,000.
  double involuntary_switches_per_cpu_s = 100;
  /// Time in which another process computed on our GPU, as a share of a sampling period of the
  /// driver. The same limit as for steal time on CPUs.
  double other_gpu_share = 0.02;
  /// /proc/stat counts in ticks of 10 ms: differences below this many seconds per CPU prove
  /// nothing.
  double tick_allowance_s = 0.03;

  /// The CPU seconds that `share` allows in `wall_s` seconds on `cpus` CPUs.
  [[nodiscard]] double limit_s(double share, double wall_s, double cpus) const {
    return std::max(share * wall_s, tick_allowance_s) * cpus;
  }
  /// The involuntary context switches allowed in `wall_s` seconds on `cpus` CPUs.
  [[nodiscard]] double limit_switches(double wall_s, double cpus) const {
    return involuntary_switches_per_cpu_s * std::max(wall_s, tick_allowance_s) * cpus;
  }
};

}  // namespace dlbench::core
