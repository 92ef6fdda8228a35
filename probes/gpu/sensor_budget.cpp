// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/sensor_budget.h"

#include "engine/core/median.h"

#include <algorithm>
#include <vector>

namespace dlbench::probes {

double SensorBudget::Cost::median_s() const {
  const auto end = last_s.begin() + static_cast<std::ptrdiff_t>(std::min(learned, kRemembered));
  return learned == 0 ? 0.0 : core::median(std::vector<double>(last_s.begin(), end));
}

void SensorBudget::learn(Sensor sensor, double cost_s) {
  Cost& own = cost(sensor);
  own.last_s[own.learned % kRemembered] = cost_s;
  ++own.learned;
}

// Assumes a window of a second with the sample at its end and, for counters, that at its begin.
void SensorBudget::begin_window() {
  samples_ = 0;
  for (Cost& each : costs_) {
    each.readings = 0;
  }
  const auto seconds = [this](Sensor sensor, double readings) {
    return readings * cost(sensor).median_s();
  };
  double left = kShare - seconds(Sensor::kPower, kSamplesPerSecond) - seconds(Sensor::kClocks, 2) -
                seconds(Sensor::kFaults, 2) - seconds(Sensor::kLoad, 2) -
                seconds(Sensor::kMemory, 1);
  const auto affords = [&](Sensor sensor, double readings) {
    const double price = seconds(sensor, readings);
    const bool can = price <= left;
    left -= can ? price : 0.0;
    return can;
  };
  clocks_in_each_sample_ = affords(Sensor::kClocks, kSamplesPerSecond - 2);
  energy_in_each_sample_ = affords(Sensor::kEnergy, kSamplesPerSecond);
}

bool SensorBudget::allows(Sensor sensor, Moment moment) const {
  const bool begins = moment == Moment::kBegin;  // it shows the pause: only counters begin with it
  const bool ends = moment == Moment::kEnd;
  const bool slow_turn = samples_ % kSamplesPerSlow == kFirstSlow;
  switch (sensor) {
    case Sensor::kPower:
      return !begins;
    case Sensor::kClocks:
      return !begins && (ends || slow_turn || clocks_in_each_sample_);
    case Sensor::kFaults:
    case Sensor::kLoad:
      return !begins && (ends || slow_turn);
    case Sensor::kMemory:
      return ends ? cost(sensor).readings == 0 : !begins && slow_turn;
    case Sensor::kEnergy:  // what the end would add has no time: see GpuSums
      return !ends && energy_in_each_sample_;
    case Sensor::kPcie:
      return false;
  }
  return false;
}

void SensorBudget::note(Sensor sensor, double cost_s) {
  learn(sensor, cost_s);
  ++cost(sensor).readings;
}

}  // namespace dlbench::probes
