// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Time on the host's monotonic clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace dlbench::core {

/// In seconds.
[[nodiscard]] inline double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Now, in nanoseconds of std::chrono::steady_clock, which all processes of a machine share.
[[nodiscard]] inline std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Nanoseconds from `start` until now.
[[nodiscard]] inline std::int64_t nanoseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                              start)
      .count();
}

/// Now, in seconds of the same clock.
[[nodiscard]] inline double steady_seconds() {
  return seconds(std::chrono::steady_clock::now().time_since_epoch());
}

/// Seconds from `start` until now, of std::chrono::steady_clock.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return seconds(std::chrono::steady_clock::now() - start);
}

}  // namespace dlbench::core
