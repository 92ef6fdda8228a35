// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The clock of the date (CLOCK_REALTIME) beside the host's steady clock: a profiler may give its
// times on it whatever clock it was told to use.
#pragma once

#include <cstdint>

namespace dlbench::probes {

/// Both clocks at one moment, in nanoseconds.
struct ClockReading {
  std::int64_t host_ns = 0;  ///< of the steady clock
  std::int64_t date_ns = 0;
};

/// Now: of several tries the one in which the least time passed.
[[nodiscard]] ClockReading read_clocks();

/// What the date's clock showed between two readings. In between it may run a little faster or
/// slower, as NTP lets it, but must not be set.
class DateClock {
 public:
  DateClock(ClockReading before, ClockReading after) : before_(before), after_(after) {}

  /// Whether the two clocks can be told apart, and were not set against each other meanwhile.
  [[nodiscard]] bool usable() const;
  /// Whether both times are of the date's clock: at most a second outside of the readings.
  [[nodiscard]] bool has(std::int64_t begin_ns, std::int64_t end_ns) const;
  /// A time of the date's clock on the host's.
  [[nodiscard]] std::int64_t to_host(std::int64_t date_ns) const;

 private:
  [[nodiscard]] std::int64_t gained_ns() const;

  ClockReading before_;
  ClockReading after_;
};

}  // namespace dlbench::probes
