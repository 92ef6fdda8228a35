// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/trial_summary.h"

#include <gmock/gmock.h>

namespace dlbench::harness {
namespace {

using ::testing::Optional;

/// Of two ranks that took two samples and one in a second.
reports::TrialRecord summary_of_two() {
  TrialResult result;
  result.id = {reports::TrialKind::kSynthetic, "device"};
  result.repetitions = {{.steps = 1, .samples = 3, .wall_s = 1.0, .samples_per_second = 3.0}};
  result.rounds = {{.shares = {{.samples = 2, .steps = 1, .wall_s = 1.0},
                               {.samples = 1, .steps = 1, .wall_s = 1.0}}}};
  TrialContext context;
  context.ranks = 2;
  context.places = {{.host = "a"}, {.host = "b"}};
  context.devices = {"GPU x", "GPU y"};
  context.training_flop_per_sample = 50.0;
  context.peak_flop_per_s = 600.0;
  return summarize_trial(result, context);
}

TEST(TrialSummary, EachRankHasItsHostAndDevice) {
  const reports::TrialRecord trial = summary_of_two();
  ASSERT_EQ(trial.per_rank.size(), 2U);
  EXPECT_EQ(trial.per_rank[0].host, "a");
  EXPECT_EQ(trial.per_rank[0].device, "GPU x");
  EXPECT_EQ(trial.per_rank[1].host, "b");
  EXPECT_EQ(trial.per_rank[1].device, "GPU y");
}

TEST(TrialSummary, TheFlopRateIsOfTheSamplesOfAllRanks) {
  const reports::TrialRecord trial = summary_of_two();
  EXPECT_THAT(trial.achieved_flop_per_s.value, Optional(150.0));
  EXPECT_THAT(trial.mfu.value, Optional(0.25));
}

}  // namespace
}  // namespace dlbench::harness
