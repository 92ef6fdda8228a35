// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Time on the host's monotonic clock, and CPU time of a thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace dlbench::core {

/// `duration` in seconds.
[[nodiscard]] inline double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// The current time of std::chrono::steady_clock, which all processes of a machine share, in ns.
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

/// The current time of std::chrono::steady_clock, in seconds.
[[nodiscard]] inline double steady_seconds() {
  return seconds(std::chrono::steady_clock::now().time_since_epoch());
}

/// Seconds from `start` until now.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return seconds(std::chrono::steady_clock::now() - start);
}

/// CPU time of the calling thread, in nanoseconds. It stands still while the thread does not run.
[[nodiscard]] inline std::int64_t thread_cpu_ns() {
  timespec time{};
  static_cast<void>(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time));  // cannot fail for oneself
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// CPU time of the calling thread, in seconds.
[[nodiscard]] inline double thread_cpu_seconds() {
  return static_cast<double>(thread_cpu_ns()) * 1e-9;
}

}  // namespace dlbench::core
