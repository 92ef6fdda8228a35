// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/gpu_monitor.h"

#include "engine/core/clock.h"

#include <algorithm>
#include <utility>

namespace dlbench::probes {

GpuMonitor::GpuMonitor(std::unique_ptr<GpuSensors> sensors, const GpuMonitorOptions& options)
    : sensors_(std::move(sensors)), options_(options) {
  learn_costs();
  static_cast<void>(sensors_->take_processes());  // of before
  thread_ = std::thread([this] { watch(); });
}

GpuMonitor::~GpuMonitor() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

/// The first reading of a sensor includes set-up; later ones give the cost.
void GpuMonitor::learn_costs() {
  constexpr int kReadings = 3;
  for (const Sensor sensor : kSensors) {
    if (sensor == Sensor::kFaults) {
      continue;  // events are told once
    }
    for (int reading = 0; reading <= kReadings; ++reading) {
      GpuSample sample{.time_ns = core::steady_ns()};
      const double before = options_.cpu_s();
      sensors_->read(sensor, sample);
      if (reading > 0) {
        budget_.learn(sensor, options_.cpu_s() - before);
      }
    }
  }
}

void GpuMonitor::begin_window() {
  {
    const std::lock_guard lock(mutex_);
    static_cast<void>(sensors_->take_processes());  // of before
    double mark_s = options_.cpu_s();
    window_ = GpuWindow{};
    sums_ = GpuSums{};
    window_.watched_faults = sensors_->watched_faults();
    budget_.begin_window();
    const double ready_s = options_.cpu_s();
    window_.monitor_cpu_s = ready_s - std::exchange(mark_s, ready_s);
    take_sample(Moment::kBegin, mark_s);
    window_.monitor_cpu_s += options_.cpu_s() - mark_s;
    window_.begin_ns = core::steady_ns();  // a sample may take a while, in which no step runs
    open_ = true;
  }
  changed_.notify_all();
}

GpuWindow GpuMonitor::end_window() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  window_.end_ns = core::steady_ns();
  double mark_s = options_.cpu_s();
  take_sample(Moment::kEnd, mark_s);
  window_.monitor_cpu_s += options_.cpu_s() - mark_s;
  window_.neighbours = read_neighbours();
  sums_.end(window_);
  return std::exchange(window_, GpuWindow{});
}

std::vector<GpuEvent> GpuMonitor::take_events() {
  const std::lock_guard lock(mutex_);
  return sensors_->take_events();
}

GpuSample GpuMonitor::read_clocks() {
  const std::lock_guard lock(mutex_);
  GpuSample sample{.time_ns = core::steady_ns()};
  sensors_->read(Sensor::kClocks, sample);
  return sample;
}

std::optional<GpuNeighbours> GpuMonitor::take_neighbours() {
  const std::lock_guard lock(mutex_);
  return read_neighbours();
}

std::optional<GpuNeighbours> GpuMonitor::read_neighbours() {
  std::optional<std::vector<GpuProcess>> processes = sensors_->take_processes();
  if (!processes.has_value()) {
    return std::nullopt;
  }
  // The driver's samples come up to a second late. Without one of this process, which has computed,
  // they are of another time; once seen by its number, no other process counts as this one.
  const bool told_of_us =
      std::ranges::find(*processes, options_.own.pid, &GpuProcess::pid) != processes->end();
  numbered_alike_ = numbered_alike_ || told_of_us;
  if (processes->empty() || (numbered_alike_ && !told_of_us)) {
    return std::nullopt;
  }
  return neighbours_among(std::move(*processes), options_.own);
}

void GpuMonitor::take_sample(Moment moment, double& mark_s) {
  GpuSample sample{.time_ns = core::steady_ns()};
  for (const Sensor sensor : kSensors) {
    if (!budget_.allows(sensor, moment)) {
      continue;
    }
    if (sensor == Sensor::kFaults) {
      for (const GpuEvent& event : sensors_->take_events()) {
        window_.events.push_back(event);
      }
    } else {
      sensors_->read(sensor, sample);
    }
    const double now_s = options_.cpu_s();
    budget_.note(sensor, now_s - mark_s);
    window_.monitor_cpu_s += now_s - std::exchange(mark_s, now_s);
  }
  if (moment == Moment::kBegin) {
    sums_.begin(sample);
  } else {
    sums_.add(sample);
  }
  if (options_.keeps_samples) {
    window_.samples.push_back(sample);
  }
}

void GpuMonitor::watch() {
  std::unique_lock lock(mutex_);
  // This thread only monitors: its cost since the last sample counts with the next one.
  double mark_s = options_.cpu_s();
  while (!stop_) {
    if (!open_) {
      changed_.wait(lock);
      continue;
    }
    const std::int64_t window = window_.begin_ns;
    if (changed_.wait_for(
            lock, options_.period, [&] { return stop_ || !open_ || window_.begin_ns != window; })) {
      continue;
    }
    budget_.count_sample();
    take_sample(Moment::kBetween, mark_s);
  }
}

}  // namespace dlbench::probes
