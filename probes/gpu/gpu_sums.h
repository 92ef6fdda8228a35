// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a report needs of a GPU's samples, summed up as they come: a training of days takes no more
// memory than one window.
#pragma once

#include "probes/gpu/gpu_window.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dlbench::probes {

/// The numbers of a sample whose sums are kept.
enum class GpuValue : std::uint8_t {
  kPower,
  kPowerAverage,
  kBusyShare,
  kMemoryBusyShare,
  kMemoryUsed,
  kTemperature,
  kMemoryTemperature,
  kSmClock,
  kMemoryClock,
};
inline constexpr std::size_t kGpuValues = 9;

/// Of one value over the windows. A sample's value stands for the time since the one before it that
/// has it too, the first of a window for none.
struct GpuValueSums {
  double integral = 0.0;  ///< over the time
  bool covered = true;    ///< the last sample of each window tells it
  double at_work = 0.0;   ///< integral over the samples that the device does not call idle
  double at_work_s = 0.0;
  std::optional<double> min_at_work;
  std::optional<double> max;
  bool told = false;

  void add(const GpuValueSums& other);
};

/// Over any number of windows: begin(), add() for each later sample, end(); or += of other sums.
class GpuSums {
 public:
  /// The first sample was taken before any work: it shows the pause, and only counters begin with
  /// it.
  void begin(const GpuSample& first);
  void add(const GpuSample& sample);
  /// Takes all but the samples.
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
  /// By the energy counter; empty where it changed too seldom in some window.
  [[nodiscard]] std::optional<double> counted_joules() const;
  /// Whether every window has samples enough for an integral.
  [[nodiscard]] bool has_enough_samples() const { return enough_samples_; }
  /// Of the samples at work that tell their clock reasons: those that have this one.
  [[nodiscard]] std::optional<double> reason_share(ClockReason reason) const;
  [[nodiscard]] std::optional<double> throttled_share() const;
  /// Of those samples: that have a reason which is not of ClockReason.
  [[nodiscard]] std::optional<double> other_reason_share() const;
  /// All reasons of those samples.
  [[nodiscard]] std::uint64_t reasons() const { return reasons_; }
  /// Of the window in which the busiest one computed most; empty where no window has any.
  [[nodiscard]] const std::optional<GpuNeighbours>& neighbours() const { return neighbours_; }
  /// Empty where they were not watched in every window.
  [[nodiscard]] std::optional<std::int64_t> events(GpuFault fault) const;

 private:
  static constexpr std::size_t kReasonBits = 9;
  static constexpr std::size_t kFaultKinds = 4;

  struct Reading {
    std::int64_t time_ns = 0;
    double joules = 0.0;
  };
  /// Of the window that is open.
  struct Open {
    std::int64_t begin_ns = 0;
    std::int64_t time_ns = 0;  ///< of the last sample
    std::int64_t samples = 0;
    bool reasons_told = false;
    bool worked = false;
    std::array<double, kGpuValues> untold_s{};  ///< since the last sample that tells the value
    std::array<bool, kGpuValues> covered{};
    std::optional<double> joules{};    ///< before `reading`
    std::optional<Reading> reading{};  ///< of the counter, not yet counted
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
  bool enough_samples_ = true;
  std::int64_t with_reasons_ = 0;
  std::int64_t throttled_ = 0;
  std::int64_t with_other_reason_ = 0;
  std::array<std::int64_t, kReasonBits> with_reason_{};
  std::uint64_t reasons_ = 0;
  std::optional<GpuNeighbours> neighbours_;
  std::array<std::int64_t, kFaultKinds> events_{};
  std::array<bool, kFaultKinds> watched_{true, true, true, true};
};

/// Of a window that kept its samples.
[[nodiscard]] GpuSums sums_of(const GpuWindow& window);

}  // namespace dlbench::probes
