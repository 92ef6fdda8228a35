// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "workloads/learning_rate.h"

#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace dlbench::workloads {
namespace {

TEST(LearningRate, ConstantStays) {
  LearningRateSchedule schedule(ConstantSchedule{}, 0.5);
  EXPECT_EQ(schedule.end_epoch(1.0), 0.5);
  EXPECT_EQ(schedule.end_epoch(std::nullopt), 0.5);
}

TEST(LearningRate, StepMultipliesByGammaEachEpoch) {
  LearningRateSchedule schedule(StepDecay{.gamma = 0.7}, 1.0);
  EXPECT_DOUBLE_EQ(schedule.rate(), 1.0);
  EXPECT_DOUBLE_EQ(schedule.end_epoch(std::nullopt), 0.7);
  EXPECT_DOUBLE_EQ(schedule.end_epoch(3.0), 0.49);
}

TEST(LearningRate, PlateauCutsAfterPatienceEpochsWithoutGain) {
  LearningRateSchedule schedule(ReduceOnPlateau{.factor = 0.1, .patience = 3, .floor = 1e-6}, 1e-4);
  const std::vector<double> losses{1.0, 0.9, 0.9, 0.95, 0.91, 0.8, 0.8, 0.8, 0.8};
  const std::vector<double> rates{1e-4, 1e-4, 1e-4, 1e-4, 1e-5, 1e-5, 1e-5, 1e-5, 1e-6};
  for (std::size_t epoch = 0; epoch < losses.size(); ++epoch) {
    EXPECT_NEAR(schedule.end_epoch(losses[epoch]), rates[epoch], 1e-12) << "epoch " << epoch;
  }
}

TEST(LearningRate, PlateauStopsAtTheFloor) {
  LearningRateSchedule schedule(ReduceOnPlateau{.factor = 0.1, .patience = 1, .floor = 1e-6}, 1e-5);
  EXPECT_NEAR(schedule.end_epoch(1.0), 1e-5, 1e-15);
  EXPECT_NEAR(schedule.end_epoch(1.0), 1e-6, 1e-15);
  EXPECT_NEAR(schedule.end_epoch(1.0), 1e-6, 1e-15);
}

TEST(LearningRate, PlateauNeverRaisesARateBelowTheFloor) {
  LearningRateSchedule schedule(ReduceOnPlateau{.factor = 0.5, .patience = 1, .floor = 1e-3}, 1e-4);
  schedule.end_epoch(1.0);
  EXPECT_DOUBLE_EQ(schedule.end_epoch(1.0), 1e-4);
}

TEST(LearningRate, PlateauTakesNanAsNoGainAndIgnoresMissingLosses) {
  LearningRateSchedule schedule(ReduceOnPlateau{.factor = 0.1, .patience = 2, .floor = 0.0}, 1.0);
  schedule.end_epoch(1.0);
  EXPECT_DOUBLE_EQ(schedule.end_epoch(std::nullopt), 1.0);
  EXPECT_DOUBLE_EQ(schedule.end_epoch(std::numeric_limits<double>::quiet_NaN()), 1.0);
  EXPECT_DOUBLE_EQ(schedule.end_epoch(std::nullopt), 1.0);
  EXPECT_DOUBLE_EQ(schedule.end_epoch(std::numeric_limits<double>::quiet_NaN()), 0.1);
}

TEST(LearningRate, RefusesNumbersOutOfRange) {
  EXPECT_THROW(LearningRateSchedule(ConstantSchedule{}, 0.0), core::Error);
  EXPECT_THROW(LearningRateSchedule(ConstantSchedule{}, std::nan("")), core::Error);
  EXPECT_THROW(LearningRateSchedule(StepDecay{.gamma = 1.5}, 1.0), core::Error);
  EXPECT_THROW(LearningRateSchedule(ReduceOnPlateau{.patience = 0}, 1.0), core::Error);
}

TEST(LearningRate, DescribesItself) {
  EXPECT_EQ(to_string(ScheduleSpec(StepDecay{.gamma = 0.7})), "step(gamma=0.7)");
  EXPECT_EQ(to_string(ScheduleSpec(ReduceOnPlateau{})),
            "plateau(factor=0.1, patience=5, floor=1e-06)");
}

}  // namespace
}  // namespace dlbench::workloads
