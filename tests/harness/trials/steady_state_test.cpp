// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/steady_state.h"

#include "engine/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::harness {
namespace {

int steps_until_done(SteadyState& state, double (*step_s)(int)) {
  int step = 0;
  while (!state.done()) {
    state.add(step_s(step++));
  }
  return step;
}

TEST(SteadyState, TakesElevenStepsWhenSteadyFromTheStart) {
  SteadyState state({});
  EXPECT_EQ(steps_until_done(state, [](int) { return 0.1; }), 11);
  EXPECT_TRUE(state.steady());
  EXPECT_DOUBLE_EQ(state.mean_step_s(), 0.1);
}

TEST(SteadyState, KeepsTheFirstStepApart) {
  SteadyState state({});
  EXPECT_EQ(steps_until_done(state, [](int step) { return step == 0 ? 9.0 : 0.1; }), 11);
  EXPECT_EQ(state.first_step_s(), 9.0);
  EXPECT_TRUE(state.steady());
}

TEST(SteadyState, WaitsForStepTimesToSettle) {
  SteadyState state({});
  // Falls by 5 % a step for 20 steps, then stays.
  const int steps = steps_until_done(
      state, [](int step) { return 0.1 * (1.0 + 0.05 * (step < 20 ? 20 - step : 0)); });
  EXPECT_TRUE(state.steady());
  EXPECT_GT(steps, 22);
  EXPECT_LT(steps, 32);
}

TEST(SteadyState, OneSlowStepDoesNotMatterToMedians) {
  SteadyState state({});
  EXPECT_EQ(steps_until_done(state, [](int step) { return step == 7 ? 5.0 : 0.1; }), 11);
}

TEST(SteadyState, MeansCoverStepsThatComeInBursts) {
  SteadyState state({.min_steps = 81});
  EXPECT_EQ(state.mean_step_s(), 0.0);
  steps_until_done(state, [](int step) { return step % 8 == 0 ? 0.8 : 1e-6; });
  EXPECT_NEAR(state.mean_step_s(), 0.1, 0.001);
}

// A GPU's first steps load code, and the third is recorded: no step of a repetition is like them.
TEST(SteadyState, TheUsualStepIsNeitherTheFirstNorARecording) {
  SteadyState state({});
  EXPECT_EQ(state.usual_step_s(), 0.0);
  state.add(9.0);
  EXPECT_EQ(state.usual_step_s(), 9.0);
  steps_until_done(state, [](int step) { return step == 1 ? 5.0 : 0.1; });
  EXPECT_DOUBLE_EQ(state.usual_step_s(), 0.1);
  EXPECT_GT(state.mean_step_s(), 0.5);
}

TEST(SteadyState, HonoursTheUsersMinimum) {
  SteadyState state({.min_steps = 40});
  EXPECT_EQ(steps_until_done(state, [](int) { return 0.1; }), 40);
  SteadyState beyond({.min_steps = 300, .max_steps = 200});
  EXPECT_EQ(steps_until_done(beyond, [](int) { return 0.001; }), 300);
}

TEST(SteadyState, GivesUpAtTheBoundAndSaysSo) {
  SteadyState by_steps({.max_steps = 50});
  const auto growing = [](int step) { return 0.001 * (1 + step); };
  EXPECT_EQ(steps_until_done(by_steps, growing), 50);
  EXPECT_FALSE(by_steps.steady());
  SteadyState by_time({.max_seconds = 1.0});
  EXPECT_EQ(steps_until_done(by_time, [](int) { return 0.3; }), 4);
  EXPECT_FALSE(by_time.steady());
}

// A loader that hands over what is in memory: 200 of its batches are less than a millisecond.
TEST(SteadyState, GivesNotUpOnWhatLastsMicroseconds) {
  SteadyState state({});
  const auto noisy = [](int step) { return (step / 5 % 2 == 0 ? 3e-6 : 4e-6); };
  const int steps = steps_until_done(state, noisy);
  EXPECT_FALSE(state.steady());
  EXPECT_GT(steps, 10'000);
  EXPECT_NEAR(state.total_s(), 0.05, 1e-3);
}

TEST(SteadyState, ATrialWarmsUpNoLongerThanItMayBeMeasured) {
  EXPECT_EQ(warm_up_limit_s(60.0), 30.0);
  EXPECT_EQ(warm_up_limit_s(5.0), 5.0);
  EXPECT_EQ(warm_up_limit_s(0.01), 1.0);
}

TEST(SteadyState, ADriftOfThreePercentAWindowIsNotSteady) {
  SteadyState state({.max_steps = 60});
  // 3 % of the first value is above 2 % of the current one up to step 83.
  EXPECT_EQ(steps_until_done(state, [](int step) { return 0.1 * (1.0 + 0.03 / 5 * step); }), 60);
  EXPECT_FALSE(state.steady());
}

TEST(SteadyState, SaysItsRuleAndRefusesNonsense) {
  EXPECT_THAT(SteadyState({}).rule(), ::testing::HasSubstr("5-step windows within 2 %"));
  EXPECT_THROW(SteadyState({.max_steps = 0}), core::Error);
  EXPECT_THROW(SteadyState({.tolerance = 0.0}), core::Error);
}

}  // namespace
}  // namespace dlbench::harness
