// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A profiler's clock (CUPTI's is the date's, CLOCK_REALTIME) beside the host's steady one, which
// all times of a trace are on.
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

/// Now: of several tries the one in which the least time passed.
[[nodiscard]] ClockReading read_clocks(const std::function<std::int64_t()>& profiler_now_ns);

/// What the profiler's clock showed between two readings. In between it may run a little faster or
/// slower, as NTP lets the date's, but must not be set.
class ProfilerClock {
 public:
  ProfilerClock(ClockReading before, ClockReading after) : before_(before), after_(after) {}

  /// Empty, or that it was set meanwhile, so that its times say nothing.
  [[nodiscard]] std::string refusal() const;
  /// A time of the profiler's clock on the host's.
  [[nodiscard]] std::int64_t to_host(std::int64_t profiler_ns) const;

 private:
  [[nodiscard]] std::int64_t gained_ns() const;

  ClockReading before_;
  ClockReading after_;
};

}  // namespace dlbench::probes
