// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a budget lets a monitor read in windows that are played through without a clock.
#include "probes/sensor_budget.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
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
                  {Sensor::kEnergy, 4100 * kUs},
                  {Sensor::kPcie, 336 * kUs}};

struct Played {
  double cost_s = 0.0;
  std::map<Sensor, int> readings;
};

/// One window with looks every tenth of a second.
Played play(SensorBudget& budget, const Costs& costs, double length_s, bool wraps_soon = false) {
  Played played;
  const auto look = [&](Moment moment, double age_s) {
    for (const Sensor sensor : kSensors) {
      if (budget.allows(sensor, moment, age_s, wraps_soon)) {
        budget.note(sensor, costs.at(sensor));
        played.cost_s += costs.at(sensor);
        played.readings[sensor] += 1;
      }
    }
  };
  budget.begin_window();
  look(Moment::kBegin, 0.0);
  for (int tenths = 1; 0.1 * tenths < length_s - 1e-9; ++tenths) {
    budget.count_look();
    look(Moment::kBetween, 0.1 * tenths);
  }
  look(Moment::kEnd, length_s);
  return played;
}

SensorBudget budget_for(const Costs& costs) {
  SensorBudget budget;
  for (const auto& [sensor, cost_s] : costs) {
    budget.expect(sensor, cost_s);
  }
  return budget;
}

TEST(SensorBudget, ReadsPowerTenTimesASecondAndTheOthersWithinTheirShare) {
  SensorBudget budget = budget_for(kH100);
  const Played second = play(budget, kH100, 1.0);
  EXPECT_EQ(second.readings.at(Sensor::kPower), 10);
  EXPECT_GE(second.readings.at(Sensor::kClocks), 5);
  EXPECT_GE(second.readings.at(Sensor::kLoad), 1);
  EXPECT_EQ(second.readings.count(Sensor::kEnergy), 0U);
  EXPECT_EQ(second.readings.count(Sensor::kPcie), 0U);
  EXPECT_LE(second.cost_s, SensorBudget::kShare);
  const Played minute = play(budget, kH100, 60.0);
  EXPECT_EQ(minute.readings.at(Sensor::kPower), 600);
  EXPECT_EQ(minute.readings.count(Sensor::kPcie), 0U) << "read seldom it would wrap unseen";
  EXPECT_LE(minute.cost_s, 60.0 * SensorBudget::kShare);
}

TEST(SensorBudget, ACounterThatIsCheapIsReadAtBothEndsAndInEachLook) {
  Costs costs = kH100;
  costs[Sensor::kEnergy] = 2 * kUs;
  costs[Sensor::kPcie] = 20 * kUs;
  SensorBudget budget = budget_for(costs);
  const Played second = play(budget, costs, 1.0);
  EXPECT_EQ(second.readings.at(Sensor::kEnergy), 11);
  EXPECT_EQ(second.readings.at(Sensor::kPcie), 4) << "ends, first look, middle of the second";
  EXPECT_EQ(play(budget, costs, 1.0, true).readings.at(Sensor::kPcie), 11);
}

TEST(SensorBudget, ADearSensorIsReadAsSeldomAsALongWindowPaysFor) {
  SensorBudget budget = budget_for(kH100);
  const double hour_s = 3600.0;
  const Played hour = play(budget, kH100, hour_s);
  const int readings = hour.readings.at(Sensor::kEnergy);
  EXPECT_GE(readings, 20);
  EXPECT_LE(readings * kH100.at(Sensor::kEnergy), hour_s * SensorBudget::kShare / 6);
}

TEST(SensorBudget, AReadingKeepsEnoughForTheOneAtTheEnd) {
  Costs costs = kH100;
  costs[Sensor::kEnergy] = 590 * kUs;  // of which 9.2 s pay for one
  SensorBudget budget = budget_for(costs);
  EXPECT_EQ(play(budget, costs, 9.2).readings.count(Sensor::kEnergy), 0U);
  EXPECT_EQ(play(budget, costs, 18.2).readings[Sensor::kEnergy], 2);
}

// What a driver answers at once when asked again may take it long when asked afresh.
TEST(SensorBudget, LearnsFromReadingsThatCostMoreThanExpected) {
  SensorBudget budget = budget_for(kH100);
  Costs afresh = kH100;
  afresh[Sensor::kLoad] = 500 * kUs;
  afresh[Sensor::kMemory] = 300 * kUs;
  int last = 0;
  for (int window = 0; window < 20; ++window) {
    last = play(budget, afresh, 1.0).readings[Sensor::kLoad];
  }
  EXPECT_EQ(last, 0);
  EXPECT_GE(play(budget, afresh, 60.0).readings[Sensor::kLoad], 2);
}

TEST(SensorBudget, WhatSaysThrottledIsReadHoweverDearThePowerIs) {
  Costs costs = kH100;
  costs[Sensor::kPower] = 80 * kUs;
  costs[Sensor::kClocks] = 60 * kUs;
  SensorBudget budget = budget_for(costs);
  const Played second = play(budget, costs, 1.0);
  EXPECT_EQ(second.readings.at(Sensor::kPower), 10);
  EXPECT_EQ(second.readings.at(Sensor::kClocks), 2) << "in its middle and at its end";
  EXPECT_GE(second.readings.at(Sensor::kFaults), 1);
  EXPECT_LE(second.cost_s - 10 * 80 * kUs, 200 * kUs);
}

TEST(SensorBudget, AWindowThatIsShortHasWhatASecondPaysFor) {
  SensorBudget budget = budget_for(kH100);
  const Played moment = play(budget, kH100, 0.01);
  for (const Sensor sensor : {Sensor::kPower, Sensor::kClocks, Sensor::kFaults, Sensor::kLoad}) {
    EXPECT_EQ(moment.readings.at(sensor), 1) << sensor_name(sensor);
  }
}

}  // namespace
}  // namespace dlbench::probes
