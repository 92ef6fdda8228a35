// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Hardware counters of the whole process, through perf_event_open(2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::probes {

/// Explains why a counter could not be opened, from the errno of perf_event_open and the value of
/// /proc/sys/kernel/perf_event_paranoid (-2 if unknown).
[[nodiscard]] std::string perf_event_reason(int errno_value, int paranoid);

/// The reading of one counter. If more counters are open than the hardware has, the kernel lets
/// them take turns, so that one counts only part of the time. Times in ns.
struct PerfReading {
  std::uint64_t value = 0;
  std::uint64_t enabled = 0;  ///< time in which the threads ran
  std::uint64_t running = 0;  ///< part of it that was counted
};

/// One event in user mode, for every thread that exists when it is opened and all threads that
/// these start later. The kernel counts by thread, so there is a file for each.
class ProcessCounter {
 public:
  ProcessCounter() = default;
  ProcessCounter(ProcessCounter&& other) noexcept = default;
  ProcessCounter& operator=(ProcessCounter&& other) noexcept = default;
  ProcessCounter(const ProcessCounter&) = delete;
  ProcessCounter& operator=(const ProcessCounter&) = delete;
  ~ProcessCounter();

  /// Opens the counter; `type` and `config` as in perf_event_attr. Returns 0 or the errno.
  /// Permitted up to perf_event_paranoid 2.
  [[nodiscard]] int open(std::uint32_t type, std::uint64_t config);

  /// Reads each thread that existed, including those it started. Empty if one could not be read or
  /// the counter is not open.
  [[nodiscard]] std::vector<PerfReading> read() const;

 private:
  std::vector<int> files_;
};

/// Returns the events between two read()s of one counter, scaled up for time not counted. Nothing
/// if threads ran but none of that time was counted.
[[nodiscard]] std::optional<double> events_between(std::span<const PerfReading> begin,
                                                   std::span<const PerfReading> end);

}  // namespace dlbench::probes
