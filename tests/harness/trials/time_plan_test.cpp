// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/time_plan.h"

#include <gtest/gtest.h>

namespace dlbench::harness {
namespace {

TimePlanRequest request() {
  TimePlanRequest plan;
  plan.trials = {{"io", 0.01, 0.5, 10}, {"synthetic", 0.2, 0.1, 1}, {"full", 0.21, 0.6, 3}};
  return plan;
}

TEST(TimePlan, WithoutABudgetRepetitionsLastMinTime) {
  const TimePlan plan = plan_time(request());
  EXPECT_EQ(plan.trials[0].steps, 100);
  EXPECT_EQ(plan.trials[1].steps, 5);
  EXPECT_EQ(plan.trials[2].steps, 5);
  EXPECT_DOUBLE_EQ(plan.trials[1].repetition_s, 1.1);
  EXPECT_DOUBLE_EQ(plan.max_time_s, 60.0);
  EXPECT_FALSE(plan.shortened);
  EXPECT_TRUE(plan.fits);
}

TEST(TimePlan, TrialsMinimaAreKept) {
  TimePlanRequest wide = request();
  wide.trials[2].min_steps = 30;
  EXPECT_EQ(plan_time(wide).trials[2].steps, 30);
}

TEST(TimePlan, BurstsOfALoaderStayWhole) {
  TimePlanRequest bursts = request();
  bursts.trials[2].multiple = 4;
  EXPECT_EQ(plan_time(bursts).trials[2].steps, 8);  // not 5
  bursts.remaining_s = 2.0;
  EXPECT_EQ(plan_time(bursts).trials[2].steps, 4);  // not 3
}

TEST(TimePlan, ARoomyBudgetOnlyLimitsTheTimePerTrial) {
  TimePlanRequest roomy = request();
  roomy.remaining_s = 42.0;  // a round takes 4.25 s: nine of them
  const TimePlan plan = plan_time(roomy);
  EXPECT_FALSE(plan.shortened);
  EXPECT_TRUE(plan.fits);
  // full is the slowest, 1.65 s: the limit is met after its ninth repetition and not before.
  EXPECT_GT(plan.max_time_s, 8 * 1.65);
  EXPECT_LT(plan.max_time_s, 9 * 1.65);
}

TEST(TimePlan, ATightBudgetShortensRepetitions) {
  TimePlanRequest tight = request();
  tight.remaining_s = 12.0;
  const TimePlan plan = plan_time(tight);
  EXPECT_TRUE(plan.shortened);
  EXPECT_TRUE(plan.fits);
  EXPECT_LE(plan.shortest_total_s, 12.0);
  EXPECT_LT(plan.trials[0].steps, 100);
  EXPECT_GE(plan.trials[0].steps, 10);
  EXPECT_GE(plan.trials[2].steps, 3);
}

TEST(TimePlan, SaysWhenEvenTheShortestPlanDoesNotFit) {
  TimePlanRequest impossible = request();
  impossible.remaining_s = 2.0;
  const TimePlan plan = plan_time(impossible);
  EXPECT_FALSE(plan.fits);
  EXPECT_GT(plan.shortest_total_s, 2.0);
  EXPECT_EQ(plan.trials[1].steps, 1);
  // 2 x (0.5 + 10 x 0.01 + 0.1 + 0.2 + 0.6 + 3 x 0.21) s
  EXPECT_EQ(over_budget_text(impossible, plan),
            "--time-budget is too short: 2 repetitions of every trial take about 5 s, 2 s are "
            "left for that; measuring all the same");
  impossible.remaining_s = plan.shortest_total_s - 0.01;
  EXPECT_EQ(over_budget_text(impossible, plan).find("about 5 s, 5 s are left"), std::string::npos)
      << "the same number twice says nothing";
  TimePlan once = plan;
  once.repetitions = 1;
  EXPECT_NE(over_budget_text(impossible, once).find("1 repetition of every trial takes about"),
            std::string::npos);
  impossible.remaining_s = 0.0;
  EXPECT_EQ(plan_time(impossible).shortest_total_s, plan.shortest_total_s);
}

TEST(TimePlan, TakesRepetitionsAwayWhereTheShortestAreTooMany) {
  TimePlanRequest tight = request();
  const double round_s = 2.13;  // as above
  tight.remaining_s = 3.5 * round_s;
  const TimePlan three = plan_time(tight);
  EXPECT_EQ(three.repetitions, 3);
  EXPECT_TRUE(three.fits);
  EXPECT_LT(three.max_time_s, 3.0 * three.trials[2].repetition_s) << "or there would be a fourth";
  tight.remaining_s = 1.5 * round_s;
  EXPECT_EQ(plan_time(tight).repetitions, 2) << "an interval takes two";
  tight.min_repetitions_on_budget = 1;  // one has been measured
  EXPECT_EQ(plan_time(tight).repetitions, 1);
  tight.remaining_s = 100.0;
  EXPECT_EQ(plan_time(tight).repetitions, 5) << "never more than were asked for";
}

TEST(TimePlan, LengthensWhatWasTooShortInWholeMultiples) {
  EXPECT_EQ(lengthened_steps({.multiple = 1}, 7, 0.1, 0.25), 20);   // 19.25
  EXPECT_EQ(lengthened_steps({.multiple = 4}, 4, 0.06, 0.25), 20);  // 18.3
  EXPECT_EQ(lengthened_steps({.multiple = 4}, 4, 0.25, 0.25), 4);
  EXPECT_EQ(lengthened_steps({.min_steps = 50}, 7, 0.1, 0.25), 50);
}

// Batches of a slow storage: forty of them would take ten seconds of every repetition.
TEST(TimePlan, AQueueIsOutweighedByTimeToo) {
  EXPECT_EQ(steps_that_outweigh(40, 1e-4), 40);
  EXPECT_EQ(steps_that_outweigh(40, 0.025), 40);
  EXPECT_EQ(steps_that_outweigh(40, 0.25), 4);
  EXPECT_EQ(steps_that_outweigh(40, 0.3), 4);
  EXPECT_EQ(steps_that_outweigh(40, 5.0), 1);
  EXPECT_EQ(steps_that_outweigh(1, 1e-9), 1);
}

TEST(TimePlan, StepsThatTheUserChoseAreNotTouched) {
  TimePlanRequest fixed = request();
  fixed.steps = 7;
  fixed.remaining_s = 2.0;
  const TimePlan plan = plan_time(fixed);
  EXPECT_EQ(plan.trials[0].steps, 7);
  EXPECT_FALSE(plan.shortened);
  EXPECT_FALSE(plan.fits);
}

}  // namespace
}  // namespace dlbench::harness
