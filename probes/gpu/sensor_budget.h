// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// When a GPU's sensors are read, so that watching costs little of a core: by what each reading was
// measured to cost, which differs by 1000 between sensors and with GPU and driver.
#pragma once

#include "probes/gpu/gpu_sensors.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace dlbench::probes {

/// In every sample behind the begin of a window the power is read, once a second and at the end the
/// clocks and their reasons, faults and load, once a second memory, whatever they cost. What that
/// leaves of kShare buys, in this order and each as a whole or not at all in a window: clocks in
/// every sample; the energy counter in every sample.
/// Costs are medians of the last readings, so that one that was interrupted decides nothing.
class SensorBudget {
 public:
  static constexpr double kShare = 8e-4;               ///< of a core, for all readings
  static constexpr double kSamplesPerSecond = 10.0;    ///< between the ends
  static constexpr std::int64_t kSamplesPerSlow = 10;  ///< once a second,
  static constexpr std::int64_t kFirstSlow = 5;        ///< in its middle

  /// A sample at begin, between and at the end of a window.
  enum class Moment : std::uint8_t { kBegin, kBetween, kEnd };

  /// What a reading cost, or is expected to.
  void learn(Sensor sensor, double cost_s);
  /// Decides what the window can afford.
  void begin_window();
  /// Before each sample between the ends.
  void count_sample() { ++samples_; }
  [[nodiscard]] bool allows(Sensor sensor, Moment moment) const;
  /// A reading in the window and what it cost; of the power, all of the sample but the other
  /// sensors.
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
