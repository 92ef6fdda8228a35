// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// When a GPU's sensors are read, so that watching costs little of a core: by what each reading was
// measured to cost, which differs by 1000 between sensors and with GPU and driver.
#pragma once

#include "probes/gpu_sensors.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace dlbench::probes {

/// The power is read in every look. The other sensors share equally what it leaves of kShare: in a
/// window that is so many seconds old, all readings of one sensor may have cost its share of those
/// seconds. Between the ends of a window a sensor is read where that also pays for one more reading
/// at the end; clocks and their reasons once a second whatever they cost, for they say whether the
/// GPU was throttled. At the ends a window counts as a second old at least; a counter that cannot
/// be paid for at both is not begun there. Costs are means of the last readings, whether those
/// found the driver's caches warm or cold.
class SensorBudget {
 public:
  static constexpr double kShare = 5e-4;             ///< of a core, for all readings
  static constexpr double kLeastShare = 2e-5;        ///< of one sensor, however dear the power is
  static constexpr double kLooksPerSecond = 10.0;    ///< of the power
  static constexpr std::int64_t kLooksPerSlow = 10;  ///< sensors that move slowly: once a second
  static constexpr std::int64_t kFirstSlow = 5;      ///< in its middle

  /// A look at begin, between and at the end of a window.
  enum class Moment : std::uint8_t { kBegin, kBetween, kEnd };

  /// What one reading costs, as far as is known before the first window.
  void expect(Sensor sensor, double cost_s) { cost(sensor).mean_s = cost_s; }
  void begin_window();
  /// Before each look between the ends.
  void count_look() { ++looks_; }
  /// `wraps_soon`: see GpuSensors.
  [[nodiscard]] bool allows(Sensor sensor, Moment moment, double age_s, bool wraps_soon) const;
  /// A reading and what it cost; of the power, all of the look but the other sensors.
  void note(Sensor sensor, double cost_s);
  /// Whether it was read in the window.
  [[nodiscard]] bool has_read(Sensor sensor) const { return cost(sensor).readings > 0; }

 private:
  struct Cost {
    double mean_s = 0.0;
    std::int64_t readings = 0;  ///< in the window
  };

  [[nodiscard]] Cost& cost(Sensor sensor) { return costs_[static_cast<std::size_t>(sensor)]; }
  [[nodiscard]] const Cost& cost(Sensor sensor) const {
    return costs_[static_cast<std::size_t>(sensor)];
  }
  [[nodiscard]] double share() const;
  /// Whether so many more readings can be paid.
  [[nodiscard]] bool affords(Sensor sensor, std::int64_t more, double age_s) const;

  std::array<Cost, kSensors.size()> costs_{};
  std::int64_t looks_ = 0;
};

}  // namespace dlbench::probes
