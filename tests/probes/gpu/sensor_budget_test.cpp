// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a budget lets a monitor read in windows that are played through without a clock.
#include "probes/gpu/sensor_budget.h"

#include <gmock/gmock.h>

#include <map>

namespace dlbench::probes {
namespace {

using Moment = SensorBudget::Moment;
using Costs = std::map<Sensor, double>;

constexpr double kUs = 1e-6;

/// As measured on an H100 with driver 580, call after call.
const Costs kH100{{Sensor::kPower, 10 * kUs},  // with waking up
                  {Sensor::kClocks, 5 * kUs},
                  {Sensor::kFaults, 5 * kUs},
                  {Sensor::kLoad, 10 * kUs},
                  {Sensor::kMemory, 10 * kUs},
                  {Sensor::kEnergy, 4100 * kUs}};

struct Played {
  double cost_s = 0.0;
  std::map<Sensor, int> readings;
};

/// One window with samples every tenth of a second.
Played play(SensorBudget& budget, const Costs& costs, double length_s) {
  Played played;
  const auto take_sample = [&](Moment moment) {
    for (const Sensor sensor : kSensors) {
      if (budget.allows(sensor, moment)) {
        budget.note(sensor, costs.at(sensor));
        played.cost_s += costs.at(sensor);
        played.readings[sensor] += 1;
      }
    }
  };
  budget.begin_window();
  take_sample(Moment::kBegin);
  for (int tenths = 1; 0.1 * tenths < length_s - 1e-9; ++tenths) {
    budget.count_sample();
    take_sample(Moment::kBetween);
  }
  take_sample(Moment::kEnd);
  return played;
}

SensorBudget budget_for(const Costs& costs) {
  SensorBudget budget;
  for (const auto& [sensor, cost_s] : costs) {
    budget.learn(sensor, cost_s);
  }
  return budget;
}

TEST(SensorBudget, ReadsPowerTenTimesASecondAndTheSlowOnesOnce) {
  SensorBudget budget = budget_for(kH100);
  for (const double seconds : {1.0, 60.0}) {
    const Played window = play(budget, kH100, seconds);
    EXPECT_EQ(window.readings.at(Sensor::kPower), 10 * seconds);
    EXPECT_EQ(window.readings.at(Sensor::kClocks), 10 * seconds) << "there is room";
    EXPECT_EQ(window.readings.at(Sensor::kFaults), seconds + 1);
    EXPECT_EQ(window.readings.at(Sensor::kLoad), seconds + 1);
    EXPECT_EQ(window.readings.at(Sensor::kMemory), seconds);
    EXPECT_EQ(window.readings.count(Sensor::kEnergy), 0U);
    EXPECT_LE(window.cost_s, seconds * SensorBudget::kShare);
  }
}

TEST(SensorBudget, WhatIsCheapIsReadInEachLook) {
  Costs costs = kH100;
  costs[Sensor::kEnergy] = 2 * kUs;
  SensorBudget budget = budget_for(costs);
  const Played second = play(budget, costs, 1.0);
  EXPECT_EQ(second.readings.at(Sensor::kEnergy), 10) << "not at the end";
}

// What a driver answers at once when asked again may take it long when asked afresh.
TEST(SensorBudget, LearnsFromReadingsThatCostMoreThanExpected) {
  Costs expected = kH100;
  expected[Sensor::kEnergy] = 20 * kUs;
  SensorBudget budget = budget_for(expected);
  Played last;
  for (int window = 0; window < 5; ++window) {
    last = play(budget, kH100, 1.0);
  }
  EXPECT_EQ(last.readings.count(Sensor::kEnergy), 0U);
}

// A reading may take long for reasons of its own: an interrupt, a lock of the driver.
TEST(SensorBudget, AReadingThatWasInterruptedDecidesNothing) {
  Costs costs = kH100;
  costs[Sensor::kEnergy] = 2 * kUs;
  SensorBudget budget = budget_for(costs);
  for (int window = 0; window < 3; ++window) {
    static_cast<void>(play(budget, costs, 1.0));
  }
  for (const Sensor sensor : kSensors) {
    budget.learn(sensor, 50'000 * kUs);
  }
  for (int window = 0; window < 3; ++window) {
    const Played second = play(budget, costs, 1.0);
    EXPECT_EQ(second.readings.at(Sensor::kEnergy), 10);
    EXPECT_EQ(second.readings.at(Sensor::kClocks), 10);
  }
}

TEST(SensorBudget, WhatSaysThrottledIsReadHoweverDearThePowerIs) {
  Costs costs = kH100;
  costs[Sensor::kPower] = 80 * kUs;
  costs[Sensor::kClocks] = 60 * kUs;
  SensorBudget budget = budget_for(costs);
  const Played second = play(budget, costs, 1.0);
  EXPECT_EQ(second.readings.at(Sensor::kPower), 10);
  EXPECT_EQ(second.readings.at(Sensor::kClocks), 2) << "in its middle and at its end";
  EXPECT_EQ(second.readings.at(Sensor::kLoad), 2);
  EXPECT_EQ(second.readings.at(Sensor::kFaults), 2);
}

// Of 800 us in a second 150 go to what is always read, and 40 to clocks in each sample.
TEST(SensorBudget, WhatIsSpentOnClocksIsNotThereForTheEnergy) {
  for (const double energy_us : {60.0, 62.0}) {
    Costs costs = kH100;
    costs[Sensor::kEnergy] = energy_us * kUs;
    SensorBudget budget = budget_for(costs);
    EXPECT_EQ(play(budget, costs, 1.0).readings[Sensor::kEnergy], energy_us < 61.0 ? 10 : 0);
  }
}

TEST(SensorBudget, ClocksThatAreTooDearForEachLookLeaveTheEnergyItsShare) {
  Costs costs = kH100;
  costs[Sensor::kClocks] = 70 * kUs;
  costs[Sensor::kEnergy] = 50 * kUs;
  SensorBudget budget = budget_for(costs);
  const Played second = play(budget, costs, 1.0);
  EXPECT_EQ(second.readings.at(Sensor::kClocks), 2);
  EXPECT_EQ(second.readings.at(Sensor::kEnergy), 10);
}

TEST(SensorBudget, AWindowWithoutALookHasItsEnd) {
  SensorBudget budget = budget_for(kH100);
  const Played moment = play(budget, kH100, 0.01);
  for (const Sensor sensor :
       {Sensor::kPower, Sensor::kClocks, Sensor::kFaults, Sensor::kLoad, Sensor::kMemory}) {
    EXPECT_EQ(moment.readings.at(sensor), 1);
  }
}

}  // namespace
}  // namespace dlbench::probes
