// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Watches a GPU's sensors from a separate thread while a window is open, and measures the cost.
#pragma once

#include "engine/core/clock.h"
#include "probes/gpu/gpu_neighbours.h"
#include "probes/gpu/gpu_sensors.h"
#include "probes/gpu/gpu_sums.h"
#include "probes/gpu/gpu_window.h"
#include "probes/gpu/sensor_budget.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace dlbench::probes {

struct GpuMonitorOptions {
  /// Ten times a second: NVIDIA's energy counter and power sensors hardly change faster (Yang,
  /// Adamek, Armour 2023: Part-time Power Measurements, arXiv:2312.02741).
  std::chrono::nanoseconds period = std::chrono::milliseconds(100);
  bool keeps_samples = true;  ///< of each window; sums are kept in any case
  OwnProcesses own{};         ///< any other process on the GPU is a neighbour
  double (*cpu_s)() = core::thread_cpu_seconds;
};

/// Samples the sensors at begin and end of a window in the caller's thread, and once every period
/// in between in its own thread, which sleeps outside windows. A SensorBudget decides which sensors
/// each sample reads. The processes that computed in a window are queried before its begin and
/// after its end, which is not part of the measured cost.
class GpuMonitor {
 public:
  explicit GpuMonitor(std::unique_ptr<GpuSensors> sensors, const GpuMonitorOptions& options = {});
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;
  ~GpuMonitor();

  [[nodiscard]] const GpuIdentity& identity() const { return sensors_->identity(); }
  void begin_window();
  [[nodiscard]] GpuWindow end_window();
  /// Sums of the window that ended last.
  [[nodiscard]] const GpuSums& sums() const { return sums_; }
  /// Returns events since the last window ended; the next window will not have them.
  [[nodiscard]] std::vector<GpuEvent> take_events();
  /// Returns the current clocks and their reasons, which no window includes.
  [[nodiscard]] GpuSample read_clocks();
  /// Returns who else computed since the last window or call; nothing: unknown to the driver.
  [[nodiscard]] std::optional<GpuNeighbours> take_neighbours();

 private:
  using Moment = SensorBudget::Moment;

  /// Returns nothing if the driver reports nothing about this time.
  [[nodiscard]] std::optional<GpuNeighbours> read_neighbours();
  void learn_costs();
  void watch();
  /// Call with mutex_ held. `mark_s`: the thread's CPU time accounted for so far; is updated.
  void take_sample(Moment moment, double& mark_s);

  std::unique_ptr<GpuSensors> sensors_;
  GpuMonitorOptions options_;
  SensorBudget budget_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool stop_ = false;
  bool numbered_alike_ = false;  ///< the driver has named this process by its number
  GpuWindow window_;
  GpuSums sums_;
  std::thread thread_;
};

}  // namespace dlbench::probes
