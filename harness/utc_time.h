// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The time of day in the format of reports.
#pragma once

#include <chrono>
#include <string>

namespace dlbench::harness {

/// Returns the seconds since the machine started, including sleep (CLOCK_BOOTTIME): nobody can set
/// this clock, and all processes of the machine share it.
[[nodiscard]] double seconds_since_boot();

/// The time of day when this clock was made, plus the time elapsed since: setting the machine's
/// clock has no effect, so a later time is never below an earlier one.
class UtcClock {
 public:
  explicit UtcClock(std::chrono::system_clock::time_point now = std::chrono::system_clock::now());
  /// "2026-01-31T12:00:00Z".
  [[nodiscard]] std::string now() const;

 private:
  std::chrono::system_clock::time_point then_;
  double since_boot_s_;  ///< at the time then_
};

/// Returns the time by this process's clock, made at its first call or inherited through fork.
[[nodiscard]] std::string utc_now();

}  // namespace dlbench::harness
