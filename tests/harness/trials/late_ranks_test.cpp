// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/late_ranks.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<std::int64_t> late(const std::vector<RankShare>& shares) {
  std::vector<std::int64_t> counts;
  for (const RankShare& share : shares) {
    counts.push_back(share.late_arrivals);
  }
  return counts;
}

TEST(LateRanks, TheRankThatWaitsLeastCameLast) {
  std::vector<RankShare> shares(3);
  count_late_arrivals({{0.2, 0.2, 0.0}, {0.05, 0.3, 0.2}, {0.3, 1e-5, 0.1}}, shares);
  EXPECT_THAT(late(shares), ElementsAre(1, 1, 1));
  for (const RankShare& share : shares) {
    EXPECT_EQ(share.arrivals, 3);
  }
}

TEST(LateRanks, OfRanksThatComeTogetherNoneIsLate) {
  // Equally late, and apart by less than the barrier between nodes takes.
  std::vector<RankShare> shares(3);
  count_late_arrivals({{0.0, 1.0, 1e-5}, {0.0, 0.5, 3e-5}, {0.3, 2.0, 1.5e-5}}, shares);
  EXPECT_THAT(late(shares), Each(0));
  EXPECT_EQ(shares[0].arrivals, 0);
}

TEST(LateRanks, ListsThatDoNotFitTogetherTellNothing) {
  std::vector<RankShare> shares(2);
  count_late_arrivals({{0.0, 0.0}, {0.1}}, shares);
  count_late_arrivals({}, shares);
  count_late_arrivals({{}, {}}, shares);
  EXPECT_THAT(late(shares), Each(0));
  EXPECT_EQ(shares[0].arrivals, 0);
}

}  // namespace
}  // namespace dlbench::harness
