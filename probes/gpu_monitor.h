// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Watches a GPU's sensors from a thread of its own while a window is open, and says what that cost.
#pragma once

#include "probes/gpu_sensors.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace dlbench::probes {

/// What was seen between begin_window() and end_window().
struct GpuWindow {
  std::int64_t begin_ns = 0;  ///< steady clock
  std::int64_t end_ns = 0;
  double monitor_cpu_s = 0.0;      ///< CPU time of all looks, in the caller's thread too
  std::vector<GpuSample> samples;  ///< the first before any work, the last at the window's end
  std::vector<GpuFault> watched_faults;  ///< which `events` would have
  std::vector<GpuEvent> events;          ///< those since the window before, too
};

/// Takes one sample at begin and end of a window in the caller's thread, and one every `period` in
/// between in its own. Outside of windows the thread sleeps. Samples of the ends, the fifth after
/// the first and every tenth from there are of all sensors, the others of the fast ones.
class GpuMonitor {
 public:
  /// Ten times a second: NVIDIA's energy counter and power sensors change hardly faster
  /// (Yang, Adamek, Armour 2023: Part-time Power Measurements, arXiv:2312.02741).
  static constexpr std::chrono::milliseconds kPeriod{100};
  static constexpr std::size_t kLooksPerFull = 10;  ///< once a second

  explicit GpuMonitor(std::unique_ptr<GpuSensors> sensors,
                      std::chrono::nanoseconds period = kPeriod);
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;
  ~GpuMonitor();

  [[nodiscard]] const GpuIdentity& identity() const { return sensors_->identity(); }
  void begin_window();
  [[nodiscard]] GpuWindow end_window();
  /// Events since the last window ended, which the next one would have.
  [[nodiscard]] std::vector<GpuEvent> take_events();

 private:
  void watch();
  void look(SensorSet set);  // with mutex_ held

  std::unique_ptr<GpuSensors> sensors_;
  std::chrono::nanoseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool stop_ = false;
  GpuWindow window_;
  std::thread thread_;
};

}  // namespace dlbench::probes
