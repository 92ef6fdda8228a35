// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides whether anything but the benchmark disturbed a repetition: takes snapshots of the
// kernel's counters for this process and its processors, and judges the difference of two of them
// by fixed thresholds. The judgement never uses the measured time of a step.
#pragma once

#include "engine/core/disturbance_thresholds.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

/// Processor time of some CPUs since boot, from /proc/stat, in seconds.
struct CpuTimes {
  double busy_s = 0;   ///< user, nice, system, irq, softirq (guests are inside user)
  double steal_s = 0;  ///< a hypervisor ran other guests while our CPU wanted to run
};

/// The state of the process and its processors at one moment. Fields that this system does not
/// provide are empty.
struct ProcSnapshot {
  double steady_s = 0;  ///< steady clock
  double user_cpu_s = 0;
  double system_cpu_s = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t peak_rss_bytes = 0;
  std::optional<std::int64_t> read_bytes;  ///< core::process_disk_read_bytes()
  std::optional<CpuTimes> cpus;            ///< of the CPUs this process may run on
  std::optional<double> throttled_s;       ///< own_throttled_s()
  std::int64_t continued = 0;              ///< calls of count_continued() so far
};

/// What happened between two snapshots, and the judgement.
struct Disturbance {
  double wall_s = 0;
  double user_cpu_s = 0;
  double system_cpu_s = 0;
  std::int64_t voluntary_context_switches = 0;
  std::int64_t involuntary_context_switches = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t peak_rss_bytes = 0;  ///< of the process so far, not of the interval
  std::optional<std::int64_t> read_bytes;
  std::optional<double> steal_s;
  std::optional<double> other_cpu_s;  ///< CPU time of foreign processes on our CPUs
  /// Time for which a CPU quota stopped threads of our control group; empty without one. Not a
  /// disturbance: repeating does not help.
  std::optional<double> throttled_s;
  bool disturbed = false;
  /// Largest ratio of a value above its limit to that limit, infinite for a stopped process; 0 if
  /// not disturbed.
  double severity = 0.0;
  std::string reason;  ///< why disturbed, with the value and the threshold; empty if not
};

/// Returns the CPU time of this process so far, over all its threads. Takes about 1 us.
[[nodiscard]] double process_cpu_s() noexcept;

/// Handler of SIGCONT, the only sign that a process was stopped (SIGSTOP, Ctrl-Z, a tool that
/// limits CPU time): no kernel clock distinguishes that from waiting. The installer must ensure
/// that it runs on a thread where a handler is harmless.
void count_continued(int signal_number);

/// Returns the number of CPUs whose times a snapshot sums: all of the affinity mask, even if a CPU
/// quota leaves this process less of their time (usable_cpus()). At least 1.
[[nodiscard]] int watched_cpus();

/// Returns the current state. Never throws: unreadable fields stay empty. Takes about 15 us.
[[nodiscard]] ProcSnapshot take_snapshot() noexcept;

/// The part of the load on our CPUs that is the benchmark itself.
struct OwnLoad {
  int cpus = 1;                    ///< CPUs this process may run on: watched_cpus()
  int threads = 1;                 ///< benchmark threads on them that want to run at the same time
  double other_ranks_cpu_s = 0.0;  ///< CPU time of its other ranks on the same CPUs
};

/// Returns the difference, with the judgement.
[[nodiscard]] Disturbance compare_snapshots(const ProcSnapshot& begin,
                                            const ProcSnapshot& end,
                                            const OwnLoad& own,
                                            const core::DisturbanceThresholds& thresholds = {});

/// Sums the given CPUs of a /proc/stat text; `ticks_per_s` is sysconf(_SC_CLK_TCK). Nothing if a
/// CPU has no line.
[[nodiscard]] std::optional<CpuTimes> parse_proc_stat(std::string_view text,
                                                      const std::vector<int>& cpus,
                                                      double ticks_per_s);

}  // namespace dlbench::probes
