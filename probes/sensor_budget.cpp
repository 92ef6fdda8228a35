// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/sensor_budget.h"

#include <algorithm>

namespace dlbench::probes {
namespace {

bool is_counter(Sensor sensor) { return sensor == Sensor::kEnergy || sensor == Sensor::kPcie; }

}  // namespace

void SensorBudget::begin_window() {
  looks_ = 0;
  for (Cost& each : costs_) {
    each.readings = 0;
  }
}

double SensorBudget::share() const {
  constexpr auto kOthers = static_cast<double>(kSensors.size() - 1);
  const double power = kLooksPerSecond * cost(Sensor::kPower).mean_s;
  return std::max((kShare - power) / kOthers, kLeastShare);
}

bool SensorBudget::affords(Sensor sensor, std::int64_t more, double age_s) const {
  const Cost& own = cost(sensor);
  return static_cast<double>(own.readings + more) * own.mean_s <= share() * age_s;
}

bool SensorBudget::allows(Sensor sensor, Moment moment, double age_s, bool wraps_soon) const {
  constexpr double kSecond = 1.0;
  if (moment == Moment::kBegin) {  // what it shows is the pause, with which only counters begin
    return is_counter(sensor) && affords(sensor, 2, kSecond);
  }
  const bool begun = has_read(sensor);
  if (moment == Moment::kEnd) {
    switch (sensor) {
      case Sensor::kPower:
      case Sensor::kClocks:
      case Sensor::kFaults:
        return true;
      case Sensor::kEnergy:
      case Sensor::kPcie:
        return begun;
      case Sensor::kLoad:
      case Sensor::kMemory:
        return begun || affords(sensor, 1, std::max(age_s, kSecond));
    }
  }
  const bool slow_turn = looks_ % kLooksPerSlow == kFirstSlow;
  switch (sensor) {
    case Sensor::kPower:
      return true;
    case Sensor::kClocks:
      return slow_turn || affords(sensor, 2, age_s);
    case Sensor::kPcie:  // it wraps, so it is read all the time or not at all
      return begun && (slow_turn || looks_ == 1 || wraps_soon);
    case Sensor::kEnergy:
      return affords(sensor, 2, age_s);
    case Sensor::kFaults:
    case Sensor::kLoad:
    case Sensor::kMemory:
      return slow_turn && affords(sensor, 2, age_s);
  }
  return false;
}

void SensorBudget::note(Sensor sensor, double cost_s) {
  constexpr double kWeight = 0.25;  // a single outlier does not silence a sensor
  Cost& own = cost(sensor);
  own.mean_s += kWeight * (cost_s - own.mean_s);
  ++own.readings;
}

}  // namespace dlbench::probes
