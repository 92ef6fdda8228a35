// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/gpu_sums.h"

#include <algorithm>
#include <utility>

namespace dlbench::probes {
namespace {

using Number = std::optional<double>;

template <typename T>
Number as_number(const std::optional<T>& value) {
  return value.has_value() ? Number(static_cast<double>(*value)) : std::nullopt;
}

/// In the order of GpuValue.
std::array<Number, kGpuValues> values_of(const GpuSample& sample) {
  return {sample.power_watt,
          sample.power_average_watt,
          sample.power_limit_watt,
          sample.busy_share,
          sample.memory_busy_share,
          as_number(sample.memory_used_bytes),
          sample.temperature_celsius,
          sample.memory_temperature_celsius,
          sample.sm_clock_mhz,
          sample.memory_clock_mhz};
}

/// The driver's average covers the second before it was read, so within a window's first second it
/// includes some of the pause before.
bool shows_the_pause(std::size_t value, double in_window_s) {
  constexpr double kAveragedS = 1.0;
  return value == static_cast<std::size_t>(GpuValue::kPowerAverage) && in_window_s < kAveragedS;
}

bool says_idle(const GpuSample& sample) {
  return (sample.clock_reasons.value_or(0) & static_cast<std::uint64_t>(ClockReason::kIdle)) != 0;
}

Number least(Number a, Number b) {
  return a.has_value() && b.has_value() ? std::min(a, b) : a.has_value() ? a : b;
}

double seconds_between(std::int64_t begin_ns, std::int64_t end_ns) {
  return 1e-9 * static_cast<double>(end_ns - begin_ns);
}

}  // namespace

void GpuValueSums::add(const GpuValueSums& other) {
  integral += other.integral;
  covered = covered && other.covered;
  at_work += other.at_work;
  at_work_s += other.at_work_s;
  min_at_work = least(min_at_work, other.min_at_work);
  min = least(min, other.min);
  max = std::max(max, other.max);
  told = told || other.told;
}

void GpuSums::begin(const GpuSample& first) {
  open_ = Open{.begin_ns = first.time_ns,
               .time_ns = first.time_ns,
               .samples = 1,
               .joules = first.energy_joules};
  open_.covered.fill(true);
}

void GpuSums::add(const GpuSample& sample) {
  const double since_s = seconds_between(open_.time_ns, sample.time_ns);
  const double in_window_s = seconds_between(open_.begin_ns, sample.time_ns);
  const bool idle = says_idle(sample);
  open_.time_ns = sample.time_ns;
  open_.samples += 1;
  open_.of_power += sample.power_watt.has_value() ? 1 : 0;
  sampled_s_ += since_s;
  const std::array<Number, kGpuValues> values = values_of(sample);
  for (std::size_t index = 0; index < kGpuValues; ++index) {
    open_.untold_s[index] += since_s;
    const Number value = values[index];
    GpuValueSums& sums = values_[index];
    sums.told = sums.told || value.has_value();
    open_.covered[index] = value.has_value() && !shows_the_pause(index, in_window_s);
    if (!open_.covered[index]) {
      continue;
    }
    const double seconds = std::exchange(open_.untold_s[index], 0.0);
    sums.integral += *value * seconds;
    sums.min = least(sums.min, value);
    sums.max = std::max(sums.max, value);
    if (!idle) {
      sums.at_work += *value * seconds;
      sums.at_work_s += seconds;
      sums.min_at_work = least(sums.min_at_work, value);
    }
  }
  if (sample.clock_reasons.has_value()) {
    open_.reasons_told = true;
    if (!idle) {
      open_.worked = true;
      with_reasons_ += 1;
      throttled_ += is_throttled(*sample.clock_reasons) ? 1 : 0;
      with_other_reason_ += (*sample.clock_reasons & ~kKnownClockReasons) != 0 ? 1 : 0;
      reasons_ |= *sample.clock_reasons;
      for (std::size_t bit = 0; bit < kReasonBits; ++bit) {
        with_reason_[bit] += static_cast<std::int64_t>((*sample.clock_reasons >> bit) & 1U);
      }
    }
  }
  if (open_.reading.has_value()) {
    count(*open_.reading);  // another sample came: it was not the window's last one
    open_.reading.reset();
  }
  if (sample.energy_joules.has_value()) {
    open_.reading = Reading{sample.time_ns, *sample.energy_joules};
  }
}

void GpuSums::count(const Reading& reading) {
  if (open_.joules.has_value()) {
    open_.fell_back = open_.fell_back || reading.joules < *open_.joules;
    if (reading.joules > *open_.joules) {
      open_.changes += 1;
      open_.first_change = open_.changes <= 2 ? reading : open_.first_change;
      open_.last_change = reading;
    }
  }
  open_.joules = reading.joules;
}

/// The counter moves about every 100 ms: the time of a change is known, but not where the window's
/// ends lie between changes. The first change may include some of the pause before, also if the
/// sensor is late, so the count begins with it. The last sample comes out of turn, so a change seen
/// by it has no exact time.
void GpuSums::end_energy(double length_s) {
  constexpr int kEnoughChanges = 5;
  const double seconds = seconds_between(open_.first_change.time_ns, open_.last_change.time_ns);
  if (open_.fell_back || open_.changes < kEnoughChanges || !(seconds > 0.0)) {
    counted_ = false;
    return;
  }
  joules_ += (open_.last_change.joules - open_.first_change.joules) / seconds * length_s;
}

void GpuSums::end(const GpuWindow& window) {
  constexpr std::int64_t kEnoughSamples = 5;
  const double length_s = seconds_between(window.begin_ns, window.end_ns);
  windows_ += 1;
  samples_ += open_.samples;
  window_s_ += length_s;
  monitor_cpu_s_ += window.monitor_cpu_s;
  enough_of_power_ = enough_of_power_ && open_.of_power >= kEnoughSamples;
  // If the device reports no reasons, nothing indicates that it was idle.
  worked_ = worked_ || open_.worked || (open_.samples > 1 && !open_.reasons_told);
  for (std::size_t index = 0; index < kGpuValues; ++index) {
    values_[index].covered = values_[index].covered && open_.covered[index];
  }
  end_energy(length_s);
  for (std::size_t kind = 0; kind < kFaultKinds; ++kind) {
    const auto fault = static_cast<GpuFault>(kind);
    watched_[kind] = watched_[kind] &&
                     std::find(window.watched_faults.begin(), window.watched_faults.end(), fault) !=
                         window.watched_faults.end();
    events_[kind] += std::count_if(window.events.begin(),
                                   window.events.end(),
                                   [&](const GpuEvent& event) { return event.fault == fault; });
  }
  keep_busiest(window.neighbours);
  open_ = Open{};
}

void GpuSums::keep_busiest(const std::optional<GpuNeighbours>& neighbours) {
  if (neighbours.has_value() &&
      (!neighbours_.has_value() || neighbours->busy_share > neighbours_->busy_share)) {
    neighbours_ = neighbours;
  }
}

GpuSums& GpuSums::operator+=(const GpuSums& other) {
  windows_ += other.windows_;
  samples_ += other.samples_;
  sampled_s_ += other.sampled_s_;
  window_s_ += other.window_s_;
  monitor_cpu_s_ += other.monitor_cpu_s_;
  worked_ = worked_ || other.worked_;
  joules_ += other.joules_;
  counted_ = counted_ && other.counted_;
  enough_of_power_ = enough_of_power_ && other.enough_of_power_;
  with_reasons_ += other.with_reasons_;
  throttled_ += other.throttled_;
  with_other_reason_ += other.with_other_reason_;
  reasons_ |= other.reasons_;
  keep_busiest(other.neighbours_);
  for (std::size_t index = 0; index < kGpuValues; ++index) {
    values_[index].add(other.values_[index]);
  }
  for (std::size_t bit = 0; bit < kReasonBits; ++bit) {
    with_reason_[bit] += other.with_reason_[bit];
  }
  for (std::size_t kind = 0; kind < kFaultKinds; ++kind) {
    events_[kind] += other.events_[kind];
    watched_[kind] = watched_[kind] && other.watched_[kind];
  }
  return *this;
}

std::optional<double> GpuSums::counted_joules() const {
  return counted_ ? Number(joules_) : std::nullopt;
}

std::optional<double> GpuSums::share_of_reasons(std::int64_t samples) const {
  return with_reasons_ > 0
             ? Number(static_cast<double>(samples) / static_cast<double>(with_reasons_))
             : std::nullopt;
}

std::optional<double> GpuSums::throttled_share() const { return share_of_reasons(throttled_); }

std::optional<double> GpuSums::other_reason_share() const {
  return share_of_reasons(with_other_reason_);
}

std::optional<double> GpuSums::reason_share(ClockReason reason) const {
  for (std::size_t bit = 0; bit < kReasonBits; ++bit) {
    if ((static_cast<std::uint64_t>(reason) >> bit) == 1) {
      return share_of_reasons(with_reason_[bit]);
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> GpuSums::events(GpuFault fault) const {
  const auto kind = static_cast<std::size_t>(fault);
  return watched_[kind] ? std::optional(events_[kind]) : std::nullopt;
}

GpuSums sums_of(const GpuWindow& window) {
  GpuSums sums;
  if (!window.samples.empty()) {
    sums.begin(window.samples.front());
    std::for_each(window.samples.begin() + 1, window.samples.end(), [&](const GpuSample& sample) {
      sums.add(sample);
    });
  }
  sums.end(window);
  return sums;
}

}  // namespace dlbench::probes
