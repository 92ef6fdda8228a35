// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The time of day as reports write it.
#pragma once

#include <chrono>
#include <string>

namespace dlbench::harness {

/// Seconds since the machine was started, its sleep included (CLOCK_BOOTTIME): nobody sets this
/// clock, and all processes of the machine share it.
[[nodiscard]] double seconds_since_boot();

/// The time of day as it was when the clock was made, and what has passed since: setting the
/// machine's time of day moves nothing, so that no later time stands before an earlier one.
class UtcClock {
 public:
  explicit UtcClock(std::chrono::system_clock::time_point now = std::chrono::system_clock::now());
  /// "2026-01-31T12:00:00Z".
  [[nodiscard]] std::string now() const;

 private:
  std::chrono::system_clock::time_point then_;
  double since_boot_s_;  ///< at that time
};

/// Now, by the clock that this process, or the one that it was forked from, made at its first call.
[[nodiscard]] std::string utc_now();

}  // namespace dlbench::harness
