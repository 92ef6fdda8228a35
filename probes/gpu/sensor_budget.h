// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides when a GPU's sensors are read so that monitoring costs little of a core, from the
// measured costs of the readings, which differ 1000-fold between sensors, GPUs and drivers.
#pragma once

#include "probes/gpu/gpu_sensors.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace dlbench::probes {

/// Every sample but a window's first reads the power; once a second and at the end also clocks and
/// their reasons, faults and load; once a second (at the end if not before) memory, whatever they
/// cost. The rest of kShare pays, in this order and for a whole window or not at all, for clocks in
/// every such sample and for the energy counter in every sample but the last. Costs are medians of
/// the last readings, so that an interrupted one has no effect.
class SensorBudget {
 public:
  static constexpr double kShare = 8e-4;               ///< of a core, for all readings
  static constexpr double kSamplesPerSecond = 10.0;    ///< between begin and end
  static constexpr std::int64_t kSamplesPerSlow = 10;  ///< once a second,
  static constexpr std::int64_t kFirstSlow = 5;        ///< in its middle

  /// A sample at begin, between and at the end of a window.
  enum class Moment : std::uint8_t { kBegin, kBetween, kEnd };

  /// Records what a reading cost, or is expected to cost.
  void learn(Sensor sensor, double cost_s);
  /// Decides what the window can afford.
  void begin_window();
  /// Call before each sample between begin and end.
  void count_sample() { ++samples_; }
  [[nodiscard]] bool allows(Sensor sensor, Moment moment) const;
  /// Records a reading in the window and its cost; for the power, the cost of the sample without
  /// the other sensors.
  void note(Sensor sensor, double cost_s);

 private:
  static constexpr std::size_t kRemembered = 5;

  struct Cost {
    std::array<double, kRemembered> last_s{};
    std::size_t learned = 0;    ///< readings so far
    std::int64_t readings = 0;  ///< in the window

    [[nodiscard]] double median_s() const;
  };
  [[nodiscard]] Cost& cost(Sensor sensor) { return costs_[static_cast<std::size_t>(sensor)]; }
  [[nodiscard]] const Cost& cost(Sensor sensor) const {
    return costs_[static_cast<std::size_t>(sensor)];
  }

  std::array<Cost, kSensors.size()> costs_{};
  bool clocks_in_each_sample_ = false;
  bool energy_in_each_sample_ = false;
  std::int64_t samples_ = 0;
};

}  // namespace dlbench::probes
