// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts a profiler's clock (CUPTI's is CLOCK_REALTIME) to the host's steady clock, which all
// times of a trace use.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace dlbench::probes {

/// Both clocks at one moment, in nanoseconds.
struct ClockReading {
  std::int64_t host_ns = 0;  ///< of the steady clock
  std::int64_t profiler_ns = 0;
};

/// Reads both clocks: the one of several tries that took the least time.
[[nodiscard]] ClockReading read_clocks(const std::function<std::int64_t()>& profiler_now_ns);

/// The profiler's clock between two readings. It may drift in between, as NTP adjusts the time of
/// day, but must not be set.
class ProfilerClock {
 public:
  ProfilerClock(ClockReading before, ClockReading after) : before_(before), after_(after) {}

  /// Returns an empty text, or that the clock was set in between, so that its times are useless.
  [[nodiscard]] std::string refusal() const;
  /// Converts a time of the profiler's clock to the host's.
  [[nodiscard]] std::int64_t to_host(std::int64_t profiler_ns) const;

 private:
  [[nodiscard]] std::int64_t gained_ns() const;

  ClockReading before_;
  ClockReading after_;
};

}  // namespace dlbench::probes
