// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/median.h"
#include "engine/core/rng.h"
#include "harness/trials/collective_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CallsOfTheSlowest, AreOneRanksOfEachRound) {
  EXPECT_THAT(calls_of_the_slowest({{10, 12, 10, 30}, {12, 11, 9, 10}}, 2),
              ElementsAre(12, 11, 10, 30));
  EXPECT_THAT(calls_of_the_slowest({{1, 2, 3}, {2, 2, 4}}, 2), ElementsAre(2, 2, 4))
      << "the last round is shorter";
  EXPECT_THAT(calls_of_the_slowest({{3, 1}}, 64), ElementsAre(3, 1));
}

TEST(CallsOfTheSlowest, AreNoneWhereNothingWasGathered) {
  EXPECT_THAT(calls_of_the_slowest({}, 64), IsEmpty());
  EXPECT_THAT(calls_of_the_slowest({{}, {}}, 64), IsEmpty());
}

// Each rank sees the end of a call a little before or after the others: its calls last as long on
// average, whatever the scatter.
TEST(CallsOfTheSlowest, DoNotGrowWithTheScatterOfManyRanks) {
  constexpr double kCallS = 10e-6;
  constexpr double kScatterS = 1e-6;
  constexpr std::size_t kCalls = 64;
  core::RandomStream random(7, 0);
  std::vector<std::vector<double>> call_s;
  for (int rank = 0; rank < 64; ++rank) {
    double before_s = kScatterS * random.normal();
    call_s.emplace_back();
    for (std::size_t call = 1; call <= kCalls; ++call) {
      const double end_s = static_cast<double>(call) * kCallS + kScatterS * random.normal();
      call_s.back().push_back(end_s - before_s);
      before_s = end_s;
    }
  }
  const std::vector<double> slowest = calls_of_the_slowest(call_s, kCalls);
  const double mean_s = std::accumulate(slowest.begin(), slowest.end(), 0.0) / kCalls;
  EXPECT_NEAR(mean_s, kCallS, 0.01 * kCallS);
  EXPECT_NEAR(core::median(slowest), kCallS, 0.06 * kCallS);
}

}  // namespace
}  // namespace dlbench::harness
