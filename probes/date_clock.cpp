// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/date_clock.h"

#include "engine/core/clock.h"

#include <chrono>
#include <cstdlib>

namespace dlbench::probes {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t date_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

ClockReading read_clocks() {
  constexpr int kTries = 5;
  ClockReading best;
  std::int64_t shortest_ns = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::int64_t begin_ns = core::steady_ns();
    const std::int64_t date_ns = date_now_ns();
    const std::int64_t took_ns = core::steady_ns() - begin_ns;
    if (attempt == 0 || took_ns < shortest_ns) {
      shortest_ns = took_ns;
      best = {.host_ns = begin_ns + took_ns / 2, .date_ns = date_ns};
    }
  }
  return best;
}

/// Of the date's clock on the host's between the readings.
std::int64_t DateClock::gained_ns() const {
  return (after_.date_ns - before_.date_ns) - (after_.host_ns - before_.host_ns);
}

bool DateClock::usable() const {
  constexpr std::int64_t kMostGainPerSecond = 1'000'000;  // NTP: half of it
  const std::int64_t length_ns = after_.host_ns - before_.host_ns;
  const std::int64_t most_ns = (length_ns / kSecond + 1) * kMostGainPerSecond;
  return std::abs(before_.date_ns - before_.host_ns) > length_ns + 4 * kSecond &&
         std::abs(gained_ns()) <= most_ns;
}

bool DateClock::has(std::int64_t begin_ns, std::int64_t end_ns) const {
  return begin_ns >= before_.date_ns - kSecond && end_ns >= begin_ns &&
         end_ns <= after_.date_ns + kSecond;
}

std::int64_t DateClock::to_host(std::int64_t date_ns) const {
  const std::int64_t since_ns = date_ns - before_.date_ns;
  const std::int64_t length_ns = after_.date_ns - before_.date_ns;
  const double gained = length_ns > 0
                            ? static_cast<double>(gained_ns()) * static_cast<double>(since_ns) /
                                  static_cast<double>(length_ns)
                            : 0.0;
  return before_.host_ns + since_ns - static_cast<std::int64_t>(gained);
}

}  // namespace dlbench::probes
