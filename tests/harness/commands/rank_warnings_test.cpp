// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/rank_warnings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RankWarnings, OfOthersAreThoseThatTheFirstRankHasNot) {
  EXPECT_THAT(warnings_of_others({"no cache\nno RAPL", "no RAPL\nno cache"}), IsEmpty());
  EXPECT_THAT(warnings_of_others({"no RAPL", "no RAPL\nno cache", "", "no counters\nno cache"}),
              ElementsAre("ranks 1, 3: no cache", "rank 3: no counters"));
  EXPECT_THAT(warnings_of_others({"of the first alone"}), IsEmpty());
  EXPECT_THAT(warnings_of_others({}), IsEmpty()) << "as on ranks that gather nothing";
}

TEST(RankWarnings, OfALargeLaunchAreCounted) {
  EXPECT_THAT(warnings_of_others({"", "no cache", "no cache", "no cache", "no cache"}),
              ElementsAre("ranks 1, 2, 3, 4: no cache"));
  EXPECT_THAT(warnings_of_others({"", "no cache", "no cache", "no cache", "no cache", "no cache"}),
              ElementsAre("ranks 1, 2, 3, 4 and 1 more: no cache"));
  std::string nine;
  for (int index = 0; index < 9; ++index) {
    nine += fmt::format("warning {}\n", index);
  }
  const std::vector<std::string> told = warnings_of_others({"", nine});
  ASSERT_EQ(told.size(), 9U);
  EXPECT_EQ(told[7], "rank 1: warning 7");
  EXPECT_EQ(told[8], "and 1 more warning of ranks other than 0");
}

}  // namespace
}  // namespace dlbench::harness
