// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/utc_time.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace dlbench::harness {
namespace {

TEST(UtcTime, IsNowInIso8601) {
  const std::string text = utc_now();
  std::tm parsed{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parsed);
  ASSERT_NE(rest, nullptr) << text;
  EXPECT_EQ(*rest, '\0') << text;
  EXPECT_NEAR(std::difftime(std::time(nullptr), ::timegm(&parsed)), 0.0, 5.0);
}

}  // namespace
}  // namespace dlbench::harness
