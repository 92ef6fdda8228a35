// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The sums that a report needs of a GPU's samples, updated with each sample: a training of days
// takes no more memory than one window.
#pragma once

#include "probes/gpu/gpu_window.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dlbench::probes {

/// The values of a sample that are summed.
enum class GpuValue : std::uint8_t {
  kPower,
  kPowerAverage,
  kPowerLimit,
  kBusyShare,
  kMemoryBusyShare,
  kMemoryUsed,
  kTemperature,
  kMemoryTemperature,
  kSmClock,
  kMemoryClock,
};
inline constexpr std::size_t kGpuValues = 10;

/// The sums of one value over the windows. A sample's value stands for the time since the previous
/// sample that has it; the first one of a window for no time.
struct GpuValueSums {
  double integral = 0.0;  ///< over the time
  bool covered = true;    ///< the last sample of each window has it
  double at_work = 0.0;   ///< integral over the samples where the device is not idle
  double at_work_s = 0.0;
  std::optional<double> min_at_work;
  std::optional<double> min;
  std::optional<double> max;
  bool told = false;

  void add(const GpuValueSums& other);
};

/// Sums over any number of windows: begin(), add() for each later sample, end(); or += other sums.
class GpuSums {
 public:
  /// Begins a window. The first sample precedes any work, so only counters start from it.
  void begin(const GpuSample& first);
  void add(const GpuSample& sample);
  /// Ends the window and adds everything except its samples.
  void end(const GpuWindow& window);
  GpuSums& operator+=(const GpuSums& other);

  [[nodiscard]] std::int64_t windows() const { return windows_; }
  [[nodiscard]] const GpuValueSums& of(GpuValue value) const {
    return values_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] std::int64_t samples() const { return samples_; }
  [[nodiscard]] double sampled_s() const { return sampled_s_; }  ///< first to last samples
  [[nodiscard]] double window_s() const { return window_s_; }
  [[nodiscard]] double monitor_cpu_s() const { return monitor_cpu_s_; }
  /// Whether some sample saw the device at work.
  [[nodiscard]] bool worked() const { return worked_; }
  /// Returns the joules by the energy counter; nothing if it changed too rarely in some window.
  [[nodiscard]] std::optional<double> counted_joules() const;
  /// Whether every window has enough samples of the power for an integral.
  [[nodiscard]] bool has_enough_of_power() const { return enough_of_power_; }
  /// Returns the share with this reason among the samples at work that have clock reasons.
  [[nodiscard]] std::optional<double> reason_share(ClockReason reason) const;
  [[nodiscard]] std::optional<double> throttled_share() const;
  /// Returns the share of those samples with a reason that is not in ClockReason.
  [[nodiscard]] std::optional<double> other_reason_share() const;
  /// Returns all reasons of those samples.
  [[nodiscard]] std::uint64_t reasons() const { return reasons_; }
  /// Returns those of the window in which the busiest one computed most; nothing without any.
  [[nodiscard]] const std::optional<GpuNeighbours>& neighbours() const { return neighbours_; }
  /// Returns nothing if such events were not watched in every window.
  [[nodiscard]] std::optional<std::int64_t> events(GpuFault fault) const;

 private:
  static constexpr std::size_t kReasonBits = 9;
  static constexpr std::size_t kFaultKinds = 4;

  struct Reading {
    std::int64_t time_ns = 0;
    double joules = 0.0;
  };
  /// State of the open window.
  struct Open {
    std::int64_t begin_ns = 0;
    std::int64_t time_ns = 0;  ///< of the last sample
    std::int64_t samples = 0;
    std::int64_t of_power = 0;  ///< those with it, beside the first
    bool reasons_told = false;
    bool worked = false;
    std::array<double, kGpuValues> untold_s{};  ///< since the last sample with the value
    std::array<bool, kGpuValues> covered{};
    std::optional<double> joules{};    ///< before `reading`
    std::optional<Reading> reading{};  ///< of the counter, not yet included
    bool fell_back = false;
    int changes = 0;
    Reading first_change{};
    Reading last_change{};
  };

  [[nodiscard]] std::optional<double> share_of_reasons(std::int64_t samples) const;
  void count(const Reading& reading);
  void keep_busiest(const std::optional<GpuNeighbours>& neighbours);
  void end_energy(double length_s);

  Open open_;
  std::int64_t windows_ = 0;
  std::array<GpuValueSums, kGpuValues> values_{};
  std::int64_t samples_ = 0;
  double sampled_s_ = 0.0;
  double window_s_ = 0.0;
  double monitor_cpu_s_ = 0.0;
  bool worked_ = false;
  double joules_ = 0.0;
  bool counted_ = true;
  bool enough_of_power_ = true;
  std::int64_t with_reasons_ = 0;
  std::int64_t throttled_ = 0;
  std::int64_t with_other_reason_ = 0;
  std::array<std::int64_t, kReasonBits> with_reason_{};
  std::uint64_t reasons_ = 0;
  std::optional<GpuNeighbours> neighbours_;
  std::array<std::int64_t, kFaultKinds> events_{};
  std::array<bool, kFaultKinds> watched_{true, true, true, true};
};

/// Returns the sums of a window that kept its samples.
[[nodiscard]] GpuSums sums_of(const GpuWindow& window);

}  // namespace dlbench::probes
