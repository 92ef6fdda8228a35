// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/fastest_internal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace dlbench::backend::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

/// fastest() over tries that are told in advance, way by way; what comes later is as the last one.
struct Told {
  std::vector<std::vector<Timing>> tries;
  std::vector<std::size_t> made = std::vector<std::size_t>(tries.size(), 0);

  Timing once(std::size_t way) {
    const std::vector<Timing>& of_way = tries.at(way);
    return of_way[std::min(made.at(way)++, of_way.size() - 1)];
  }
  std::optional<std::size_t> fastest() {
    return cpu::fastest(tries.size(), [this](std::size_t way) { return once(way); });
  }
};

TEST(Fastest, TakesTheShortestOfThreeTries) {
  Told told{{{{0.003}}, {{0.009}, {0.009}, {0.002}}}};
  EXPECT_THAT(told.fastest(), Optional(1U));
  EXPECT_THAT(told.made, ElementsAre(3U, 3U));
}

TEST(Fastest, TriesAgainWhatWasDisturbed) {
  Told told{{{{0.007}}, {{0.012, 2}, {0.012, 2}, {0.012, 2}, {0.0001}}}};
  EXPECT_THAT(told.fastest(), Optional(1U));
  EXPECT_THAT(told.made, ElementsAre(3U, 4U));
}

TEST(Fastest, SaysNothingWhereAWayWasAlwaysDisturbed) {
  Told told{{{{0.007}}, {{0.012, 2}}}};
  EXPECT_EQ(told.fastest(), std::nullopt);
  EXPECT_THAT(told.made, ElementsAre(3U, 20U)) << "0.25 s are over: 3 * 7 ms and 20 * 12 ms";
}

TEST(Fastest, TakesNoMoreOfLongTriesThanItMust) {
  Told told{{{{0.5}}, {{0.5, 200}}}};
  EXPECT_EQ(told.fastest(), std::nullopt);
  EXPECT_THAT(told.made, ElementsAre(3U, 3U));
}

TEST(Fastest, ADisturbedTryIsNeverTheBest) {
  Told told{{{{0.007}}, {{0.009}, {0.001, 1}, {0.009}}}};
  EXPECT_THAT(told.fastest(), Optional(0U));
}

TEST(Fastest, ASwitchNowAndThenIsNothing) {
  EXPECT_FALSE(is_disturbed({0.0001, 0}));
  EXPECT_TRUE(is_disturbed({0.0001, 1}));
  EXPECT_FALSE(is_disturbed({1.0, 20}));
  EXPECT_TRUE(is_disturbed({1.0, 200})) << "somebody else has the processor";
}

}  // namespace
}  // namespace dlbench::backend::cpu
