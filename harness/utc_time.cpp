// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/utc_time.h"

#include <array>
#include <ctime>

namespace dlbench::harness {

double seconds_since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

UtcClock::UtcClock(std::chrono::system_clock::time_point now)
    : then_(now), since_boot_s_(seconds_since_boot()) {}

std::string UtcClock::now() const {
  using std::chrono::system_clock;
  const std::chrono::duration<double> passed(seconds_since_boot() - since_boot_s_);
  const std::time_t now =
      system_clock::to_time_t(then_ + std::chrono::duration_cast<system_clock::duration>(passed));
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

std::string utc_now() {
  static const UtcClock clock;
  return clock.now();
}

}  // namespace dlbench::harness
