// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_monitor.h"

#include "engine/core/clock.h"

#include <ctime>
#include <utility>

namespace dlbench::probes {
namespace {

double thread_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

GpuMonitor::GpuMonitor(std::unique_ptr<GpuSensors> sensors, std::chrono::nanoseconds period)
    : sensors_(std::move(sensors)), period_(period), thread_([this] { watch(); }) {}

GpuMonitor::~GpuMonitor() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void GpuMonitor::begin_window() {
  {
    const std::lock_guard lock(mutex_);
    window_ = GpuWindow{};
    window_.watched_faults = sensors_->watched_faults();
    look(SensorSet::kAll);
    window_.begin_ns = core::steady_ns();  // a look takes milliseconds, in which no step runs
    open_ = true;
  }
  changed_.notify_all();
}

GpuWindow GpuMonitor::end_window() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  window_.end_ns = core::steady_ns();
  look(SensorSet::kAll);
  return std::exchange(window_, GpuWindow{});
}

std::vector<GpuEvent> GpuMonitor::take_events() {
  const std::lock_guard lock(mutex_);
  return sensors_->take_events();
}

void GpuMonitor::look(SensorSet set) {
  const double before = thread_cpu_s();
  window_.samples.push_back(sensors_->read(set));
  for (const GpuEvent& event : sensors_->take_events()) {
    window_.events.push_back(event);
  }
  window_.monitor_cpu_s += thread_cpu_s() - before;
}

void GpuMonitor::watch() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (!open_) {
      changed_.wait(lock);
      continue;
    }
    const std::int64_t window = window_.begin_ns;
    const double before = thread_cpu_s();
    if (changed_.wait_for(
            lock, period_, [&] { return stop_ || !open_ || window_.begin_ns != window; })) {
      continue;
    }
    window_.monitor_cpu_s += thread_cpu_s() - before;  // of waking up
    // In the middle of a second: not beside the end of repetitions that last whole ones.
    const bool full = window_.samples.size() % kLooksPerFull == kLooksPerFull / 2;
    look(full ? SensorSet::kAll : SensorSet::kFast);
  }
}

}  // namespace dlbench::probes
