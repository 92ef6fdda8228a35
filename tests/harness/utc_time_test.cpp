// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/utc_time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <string>
#include <thread>

namespace dlbench::harness {
namespace {

double seconds_ago(const std::string& text) {
  std::tm parsed{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parsed);
  EXPECT_NE(rest, nullptr) << text;
  EXPECT_EQ(rest == nullptr ? '?' : *rest, '\0') << text;
  return std::difftime(std::time(nullptr), ::timegm(&parsed));
}

TEST(UtcTime, IsNowInIso8601) { EXPECT_NEAR(seconds_ago(utc_now()), 0.0, 5.0); }

// To a clock that was made an hour ahead, the time of day has been set back since.
TEST(UtcTime, AClockDoesNotFollowTheTimeOfDay) {
  const auto now = std::chrono::system_clock::now();
  EXPECT_NEAR(seconds_ago(UtcClock(now + std::chrono::hours(1)).now()), -3600.0, 5.0);
  const UtcClock clock(now);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_GT(clock.now(), UtcClock(now).now()) << "it goes on";
}

}  // namespace
}  // namespace dlbench::harness
