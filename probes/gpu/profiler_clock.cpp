// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/profiler_clock.h"

#include "engine/core/clock.h"

#include <fmt/format.h>

#include <cstdlib>

namespace dlbench::probes {

ClockReading read_clocks(const std::function<std::int64_t()>& profiler_now_ns) {
  constexpr int kTries = 5;
  ClockReading best;
  std::int64_t shortest_ns = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::int64_t begin_ns = core::steady_ns();
    const std::int64_t profiler_ns = profiler_now_ns();
    const std::int64_t took_ns = core::steady_ns() - begin_ns;
    if (attempt == 0 || took_ns < shortest_ns) {
      shortest_ns = took_ns;
      best = {.host_ns = begin_ns + took_ns / 2, .profiler_ns = profiler_ns};
    }
  }
  return best;
}

/// Returns how much the profiler's clock gained on the host's between the readings.
std::int64_t ProfilerClock::gained_ns() const {
  return (after_.profiler_ns - before_.profiler_ns) - (after_.host_ns - before_.host_ns);
}

std::string ProfilerClock::refusal() const {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kMaxGainPerSecond = 1'000'000;  // NTP: half of it
  const std::int64_t max_ns =
      ((after_.host_ns - before_.host_ns) / kSecond + 1) * kMaxGainPerSecond;
  if (std::abs(gained_ns()) <= max_ns) {
    return "";
  }
  return fmt::format("the profiler's clock (the date's) was set by {:.3f} s while it recorded",
                     1e-9 * static_cast<double>(gained_ns()));
}

std::int64_t ProfilerClock::to_host(std::int64_t profiler_ns) const {
  const std::int64_t since_ns = profiler_ns - before_.profiler_ns;
  const std::int64_t length_ns = after_.profiler_ns - before_.profiler_ns;
  const double gained = length_ns > 0
                            ? static_cast<double>(gained_ns()) * static_cast<double>(since_ns) /
                                  static_cast<double>(length_ns)
                            : 0.0;
  return before_.host_ns + since_ns - static_cast<std::int64_t>(gained);
}

}  // namespace dlbench::probes
