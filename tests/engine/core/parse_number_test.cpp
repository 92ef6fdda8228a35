// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/parse_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace dlbench::core {
namespace {

using ::testing::Optional;

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_THAT(parse_number<int>("0"), Optional(0));
  EXPECT_THAT(parse_number<int>("-17"), Optional(-17));
  EXPECT_THAT(parse_number<double>("2.5e3"), Optional(2500.0));
  for (const char* text : {"", " 1", "1 ", "+1", "1,5", "0x10", "one", "1\n"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(ParseNumber, RefusesWhatTheTypeCannotHold) {
  EXPECT_EQ(parse_number<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint64_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e999"), std::nullopt);
}

}  // namespace
}  // namespace dlbench::core
