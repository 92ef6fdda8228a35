// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Hardware counters of the whole process through perf_event_open(2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::probes {

/// Why a counter could not be opened, in words: from the errno of perf_event_open and the value of
/// /proc/sys/kernel/perf_event_paranoid (-2 if unknown).
[[nodiscard]] std::string perf_event_reason(int errno_value, int paranoid);

/// What one counter says: the kernel shares the hardware where more are open than it has, so that
/// one may count for a part of the time only. Times in ns.
struct PerfReading {
  std::uint64_t value = 0;
  std::uint64_t enabled = 0;  ///< time that the threads ran
  std::uint64_t running = 0;  ///< of it, time that was counted
};

/// One event in user mode, of every thread that exists when it is opened and of all that these
/// start later. The kernel counts by thread, so that there is a file for each.
class ProcessCounter {
 public:
  ProcessCounter() = default;
  ProcessCounter(ProcessCounter&& other) noexcept = default;
  ProcessCounter& operator=(ProcessCounter&& other) noexcept = default;
  ProcessCounter(const ProcessCounter&) = delete;
  ProcessCounter& operator=(const ProcessCounter&) = delete;
  ~ProcessCounter();

  /// `type` and `config` as in perf_event_attr. Returns 0 or the errno. Allowed up to
  /// perf_event_paranoid 2.
  [[nodiscard]] int open(std::uint32_t type, std::uint64_t config);

  /// Of each thread that existed, with those it started. Empty: one could not be read, or it is
  /// not open.
  [[nodiscard]] std::vector<PerfReading> read() const;

 private:
  std::vector<int> files_;
};

/// Events between two read()s of one counter, scaled up to the time that was not counted. Nothing
/// if threads ran and none of that time was counted.
[[nodiscard]] std::optional<double> events_between(std::span<const PerfReading> begin,
                                                   std::span<const PerfReading> end);

}  // namespace dlbench::probes
