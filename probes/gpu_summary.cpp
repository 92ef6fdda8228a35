// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace dlbench::probes {
namespace {

using Number = std::optional<double>;
using Reader = std::function<Number(const GpuSample&)>;

constexpr const char* kNotTold = "the device or its driver does not tell";
constexpr const char* kNeverAtWork = "no sample saw the GPU at work";

template <typename T>
Reader member(std::optional<T> GpuSample::*field) {
  return [field](const GpuSample& sample) {
    const std::optional<T>& value = sample.*field;
    return value.has_value() ? Number(static_cast<double>(*value)) : std::nullopt;
  };
}

bool is_idle(const GpuSample& sample) {
  return (sample.clock_reasons.value_or(0) & static_cast<std::uint64_t>(ClockReason::kIdle)) != 0;
}

/// Calls visit(sample, seconds since the one before) for all samples of a window but the first,
/// which was taken before any work: it shows the pause, and only counters begin with it.
template <typename Visit>
void visit_samples(const GpuWindow& window, const Visit& visit) {
  for (std::size_t index = 1; index < window.samples.size(); ++index) {
    const GpuSample& sample = window.samples[index];
    visit(sample, 1e-9 * static_cast<double>(sample.time_ns - window.samples[index - 1].time_ns));
  }
}

/// The same without those that the device calls idle: they say nothing of how it works.
template <typename Visit>
void visit_work(const GpuWindow& window, const Visit& visit) {
  visit_samples(window, [&](const GpuSample& sample, double seconds) {
    if (!is_idle(sample)) {
      visit(sample, seconds);
    }
  });
}

/// Calls visit(sample, value, seconds since the sample before that tells the value) for the samples
/// that tell it, but the first: it is not asked for in every one. Returns whether they cover the
/// window: the last sample tells it.
template <typename Visit>
bool visit_told(const GpuWindow& window, const Reader& read, const Visit& visit) {
  bool covered = true;
  double seconds = 0.0;
  visit_samples(window, [&](const GpuSample& sample, double since_before) {
    seconds += since_before;
    const Number value = read(sample);
    covered = value.has_value();
    if (covered) {
      visit(sample, *value, seconds);
      seconds = 0.0;
    }
  });
  return covered;
}

double length_s(const GpuWindow& window) {
  return 1e-9 * static_cast<double>(window.end_ns - window.begin_ns);
}

/// Joules of one window by the counter, which moves about every 100 ms: between two changes its
/// time is known, at the window's ends it is not. What the first change adds may hold some of the
/// pause before, also where the sensor is late, so the count begins with it. The last sample does
/// not come at its turn, so a change that it sees has no time. Empty if the counter changed too
/// seldom, fell back or is not told.
Number counted_joules(const GpuWindow& window) {
  constexpr int kEnoughChanges = 5;
  const GpuSample* first = nullptr;
  const GpuSample* last = nullptr;
  int changes = 0;
  for (std::size_t index = 1; index + 1 < window.samples.size(); ++index) {
    const GpuSample& sample = window.samples[index];
    const Number before = window.samples[index - 1].energy_joules;
    if (!before.has_value() || !sample.energy_joules.has_value() ||
        *sample.energy_joules < *before) {
      return std::nullopt;
    }
    if (*sample.energy_joules > *before) {
      changes += 1;
      first = changes <= 2 ? &sample : first;
      last = &sample;
    }
  }
  if (changes < kEnoughChanges) {
    return std::nullopt;
  }
  const double seconds = 1e-9 * static_cast<double>(last->time_ns - first->time_ns);
  return seconds > 0.0
             ? Number((*last->energy_joules - *first->energy_joules) / seconds * length_s(window))
             : std::nullopt;
}

/// What a row of the report says: without a number the reason, and where a number may come from
/// different places, from which.
struct Told {
  // NOLINTNEXTLINE(google-explicit-constructor): most rows are a number or nothing.
  Told(Number number, std::string reason_if_none = kNotTold)
      : value(number), reason(number.has_value() ? "" : std::move(reason_if_none)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Told(double number) : value(number) {}

  Number value;
  std::string reason;
  std::string source;
};

/// The windows of one trial, asked for sums and means.
class Windows {
 public:
  explicit Windows(const std::vector<GpuWindow>& windows) : windows_(windows) {}

  /// Integral over time; empty if a window's last sample lacks the value. Each value stands for the
  /// time since the one before it.
  [[nodiscard]] Number integral(const Reader& read) const {
    double sum = 0.0;
    bool complete = true;
    for (const GpuWindow& window : windows_) {
      const bool covered =
          visit_told(window, read, [&](const GpuSample& /*any*/, double value, double seconds) {
            sum += value * seconds;
          });
      complete = complete && covered;
    }
    return complete ? Number(sum) : std::nullopt;
  }

  [[nodiscard]] Number mean(const Reader& read) const {
    const Number sum = integral(read);
    const double seconds = *integral([](const GpuSample& /*any*/) { return Number(1.0); });
    return sum.has_value() && seconds > 0.0 ? Number(*sum / seconds) : std::nullopt;
  }

  /// Mean over the time of the samples that tell the value and saw the device at work.
  [[nodiscard]] Told mean_at_work(const Reader& read) const {
    double sum = 0.0;
    double time_s = 0.0;
    bool told = false;
    bool worked = false;
    for (const GpuWindow& window : windows_) {
      visit_work(window, [&](const GpuSample& /*any*/, double /*seconds*/) { worked = true; });
      visit_told(window, read, [&](const GpuSample& sample, double value, double seconds) {
        told = true;
        if (!is_idle(sample)) {
          sum += value * seconds;
          time_s += seconds;
        }
      });
    }
    if (time_s > 0.0) {
      return Told(Number(sum / time_s));
    }
    return Told(std::nullopt, worked && !told ? kNotTold : kNeverAtWork);
  }

  /// Lowest of the samples that saw the device at work.
  [[nodiscard]] Told min_at_work(const Reader& read) const {
    Number least;
    bool worked = false;
    for (const GpuWindow& window : windows_) {
      visit_work(window, [&](const GpuSample& sample, double /*seconds*/) {
        worked = true;
        if (const Number value = read(sample)) {
          least = std::min(*value, least.value_or(*value));
        }
      });
    }
    return {least, worked ? kNotTold : kNeverAtWork};
  }

  [[nodiscard]] Number max(const Reader& read) const {
    Number most;
    for (const GpuWindow& window : windows_) {
      visit_samples(window, [&](const GpuSample& sample, double /*seconds*/) {
        if (const Number value = read(sample)) {
          most = std::max(*value, most.value_or(*value));
        }
      });
    }
    return most;
  }

  /// Sum over the windows of last minus first; a counter that fell back has none.
  [[nodiscard]] Number growth(const Reader& read) const {
    double sum = 0.0;
    for (const GpuWindow& window : windows_) {
      const Number first = window.samples.empty() ? std::nullopt : read(window.samples.front());
      const Number last = window.samples.empty() ? std::nullopt : read(window.samples.back());
      if (!first.has_value() || !last.has_value() || *last < *first) {
        return std::nullopt;
      }
      sum += *last - *first;
    }
    return sum;
  }

  /// By the counter if it tells of every window, else by the power if that has samples enough.
  [[nodiscard]] Told energy_joules() const {
    constexpr std::size_t kEnoughSamples = 5;
    double sum = 0.0;
    bool counted = true;
    bool sampled = true;
    for (const GpuWindow& window : windows_) {
      const Number joules = counted_joules(window);
      counted = counted && joules.has_value();
      sum += joules.value_or(0.0);
      sampled = sampled && window.samples.size() > kEnoughSamples;  // beside the first
    }
    const Number integrated = integral(member(&GpuSample::power_watt));
    Told energy(
        counted   ? Number(sum)
        : sampled ? integrated
                  : std::nullopt,
        "in some window the energy counter changed less than five times, and there were not "
        "enough samples of the power instead");
    if (energy.value.has_value()) {
      energy.source = counted ? "counter" : "power";
    }
    return energy;
  }

  /// Of the samples at work that tell their clock reasons, those for which `holds`.
  template <typename Holds>
  [[nodiscard]] Told reason_share(const Holds& holds) const {
    double all = 0.0;
    double held = 0.0;
    bool worked = false;
    for (const GpuWindow& window : windows_) {
      visit_work(window, [&](const GpuSample& sample, double /*seconds*/) {
        worked = true;
        if (sample.clock_reasons.has_value()) {
          all += 1.0;
          held += holds(*sample.clock_reasons) ? 1.0 : 0.0;
        }
      });
    }
    return {all > 0.0 ? Number(held / all) : std::nullopt, worked ? kNotTold : kNeverAtWork};
  }
  [[nodiscard]] Told reason_share(ClockReason reason) const {
    return reason_share(
        [reason](std::uint64_t bits) { return (bits & static_cast<std::uint64_t>(reason)) != 0; });
  }

  [[nodiscard]] Told events(GpuFault fault) const {
    std::ptrdiff_t count = 0;
    for (const GpuWindow& window : windows_) {
      if (std::find(window.watched_faults.begin(), window.watched_faults.end(), fault) ==
          window.watched_faults.end()) {
        return {std::nullopt, kNotTold};
      }
      count += std::count_if(window.events.begin(),
                             window.events.end(),
                             [&](const GpuEvent& event) { return event.fault == fault; });
    }
    return static_cast<double>(count);
  }

  [[nodiscard]] double samples() const {
    std::size_t count = 0;
    for (const GpuWindow& window : windows_) {
      count += window.samples.size();
    }
    return static_cast<double>(count);
  }

  [[nodiscard]] double seconds() const {
    double sum = 0.0;
    for (const GpuWindow& window : windows_) {
      sum += length_s(window);
    }
    return sum;
  }

  [[nodiscard]] double monitor_cpu_s() const {
    double sum = 0.0;
    for (const GpuWindow& window : windows_) {
      sum += window.monitor_cpu_s;
    }
    return sum;
  }

 private:
  const std::vector<GpuWindow>& windows_;
};

Number ratio(Number part, Number whole) {
  return part.has_value() && whole.has_value() && *whole > 0.0 ? Number(*part / *whole)
                                                               : std::nullopt;
}

/// One value: what the report calls it, and how it comes from the windows.
struct Row {
  ValueSpec spec;
  std::function<Told(const GpuIdentity&, const Windows&)> told;
};

Number power_mean(const Windows& windows) { return windows.mean(member(&GpuSample::power_watt)); }

std::vector<Row> power_rows() {
  using G = const GpuIdentity&;
  using W = const Windows&;
  return {
      {{"energy_joules", "J", "by the driver's energy counter, else the integral of the power"},
       [](G, W w) { return w.energy_joules(); }},
      {{"energy_integrated_joules", "J", "integral of the power samples: checks energy_joules"},
       [](G, W w) { return w.integral(member(&GpuSample::power_watt)); }},
      {{"power_mean_watt", "W", "of the momentary power"}, [](G, W w) { return power_mean(w); }},
      {{"power_max_watt", "W", "of the momentary power"},
       [](G, W w) { return w.max(member(&GpuSample::power_watt)); }},
      {{"power_average_watt", "W", "mean of the driver's own average over a second"},
       [](G, W w) { return w.mean(member(&GpuSample::power_average_watt)); }},
      {{"power_limit_watt", "W", "limit in force"}, [](G g, W) { return g.power_limit_watt; }},
      {{"power_share_of_limit", "", "power_mean_watt / power_limit_watt: how well the GPU is used"},
       [](G g, W w) { return ratio(power_mean(w), g.power_limit_watt); }}};
}

std::vector<Row> load_rows() {
  using G = const GpuIdentity&;
  using W = const Windows&;
  return {{{"busy_share", "", "of time any kernel ran, however small"},
           [](G, W w) { return w.mean_at_work(member(&GpuSample::busy_share)); }},
          {{"memory_busy_share", "", "of time its memory was read or written"},
           [](G, W w) { return w.mean_at_work(member(&GpuSample::memory_busy_share)); }},
          {{"memory_used_max_bytes", "B", "by all processes and the driver"},
           [](G, W w) { return w.max(member(&GpuSample::memory_used_bytes)); }},
          {{"pcie_received_bytes", "B", "by the GPU, from all of the machine"},
           [](G, W w) { return w.growth(member(&GpuSample::pcie_received_bytes)); }},
          {{"pcie_sent_bytes", "B", "by the GPU"},
           [](G, W w) { return w.growth(member(&GpuSample::pcie_sent_bytes)); }}};
}

std::vector<Row> clock_rows() {
  using G = const GpuIdentity&;
  using W = const Windows&;
  return {{{"temperature_max_celsius", "C", "of the chip"},
           [](G, W w) { return w.max(member(&GpuSample::temperature_celsius)); }},
          {{"memory_temperature_max_celsius", "C", "of the memory"},
           [](G, W w) { return w.max(member(&GpuSample::memory_temperature_celsius)); }},
          {{"sm_clock_mean_mhz", "MHz", "of the multiprocessors"},
           [](G, W w) { return w.mean_at_work(member(&GpuSample::sm_clock_mhz)); }},
          {{"sm_clock_min_mhz", "MHz", "lowest seen"},
           [](G, W w) { return w.min_at_work(member(&GpuSample::sm_clock_mhz)); }},
          {{"sm_clock_limit_mhz", "MHz", "highest this device may run at"},
           [](G g, W) { return g.max_sm_clock_mhz; }},
          {{"memory_clock_mean_mhz", "MHz", "of the memory"},
           [](G, W w) { return w.mean_at_work(member(&GpuSample::memory_clock_mhz)); }},
          {{"throttled_share", "", "of samples: heat, hardware slowdown or power brake"},
           [](G, W w) { return w.reason_share(is_throttled); }},
          {{"power_cap_share", "", "of samples: clocks held back by the power limit"},
           [](G, W w) { return w.reason_share(ClockReason::kPowerCap); }},
          {{"hardware_slowdown_share", "", "of samples"},
           [](G, W w) { return w.reason_share(ClockReason::kHardwareSlowdown); }},
          {{"software_thermal_share", "", "of samples"},
           [](G, W w) { return w.reason_share(ClockReason::kSoftwareThermal); }},
          {{"hardware_thermal_share", "", "of samples"},
           [](G, W w) { return w.reason_share(ClockReason::kHardwareThermal); }},
          {{"power_brake_share", "", "of samples"},
           [](G, W w) { return w.reason_share(ClockReason::kPowerBrake); }}};
}

std::vector<Row> monitor_rows() {
  using G = const GpuIdentity&;
  using W = const Windows&;
  return {{{"xid_events", "", "errors reported by the driver"},
           [](G, W w) { return w.events(GpuFault::kXid); }},
          {{"ecc_corrected_events", "", "single bits repaired"},
           [](G, W w) { return w.events(GpuFault::kEccCorrected); }},
          {{"ecc_uncorrected_events", "", "data lost in the GPU's memory"},
           [](G, W w) { return w.events(GpuFault::kEccUncorrected); }},
          {{"samples", "", "looks at the sensors"}, [](G, W w) { return w.samples(); }},
          {{"window_seconds", "s", "of all repetitions"}, [](G, W w) { return w.seconds(); }},
          {{"monitor_cpu_seconds", "s", "CPU time of reading the sensors"},
           [](G, W w) { return w.monitor_cpu_s(); }},
          {{"monitor_cpu_share", "", "of one core's time"},
           [](G, W w) { return ratio(w.monitor_cpu_s(), w.seconds()); }}};
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> result;
    for (auto* part : {&power_rows, &load_rows, &clock_rows, &monitor_rows}) {
      for (Row& row : part()) {
        result.push_back(std::move(row));
      }
    }
    return result;
  }();
  return all;
}

std::string fault_text(const GpuIdentity& gpu, const GpuEvent& event) {
  const std::string device = fmt::format("{} ({})", gpu.name, gpu.address);
  switch (event.fault) {
    case GpuFault::kXid:
      return fmt::format(
          "{} reported Xid {} during a measurement: the kernel log (dmesg) says more",
          device,
          event.code);
    case GpuFault::kEccUncorrected:
      return device +
             " lost data to an uncorrected memory error during a measurement: reset or replace it";
    case GpuFault::kLost:
      return device + " no longer answers: the kernel log (dmesg) says more";
    case GpuFault::kEccCorrected:
      break;  // repaired: counted, no fault
  }
  return "";
}

}  // namespace

const std::vector<ValueSpec>& gpu_value_specs() {
  static const std::vector<ValueSpec> specs = [] {
    std::vector<ValueSpec> result;
    for (const Row& row : rows()) {
      result.push_back(row.spec);
    }
    return result;
  }();
  return specs;
}

std::vector<ProbeValue> gpu_values(const GpuIdentity& gpu, const std::vector<GpuWindow>& windows) {
  const Windows all(windows);
  std::vector<ProbeValue> values;
  for (const Row& row : rows()) {
    Told told =
        windows.empty() ? Told(std::nullopt, "no window of this trial") : row.told(gpu, all);
    values.push_back({row.spec.name, told.value, std::move(told.reason), std::move(told.source)});
  }
  return values;
}

DeviceConditions judge_window(const GpuIdentity& gpu, const GpuWindow& window) {
  DeviceConditions conditions;
  std::uint64_t reasons = 0;
  visit_work(window, [&](const GpuSample& sample, double /*seconds*/) {
    reasons |= sample.clock_reasons.value_or(0);
    if (sample.sm_clock_mhz.has_value()) {
      conditions.sm_clock_mhz =
          std::min(*sample.sm_clock_mhz, conditions.sm_clock_mhz.value_or(*sample.sm_clock_mhz));
    }
  });
  conditions.throttle_reasons = clock_reason_names(reasons);
  conditions.throttled = is_throttled(reasons);
  conditions.fault = first_fault(gpu, window.events);
  return conditions;
}

std::string first_fault(const GpuIdentity& gpu, const std::vector<GpuEvent>& events) {
  for (const GpuEvent& event : events) {
    if (std::string fault = fault_text(gpu, event); !fault.empty()) {
      return fault;
    }
  }
  return "";
}

}  // namespace dlbench::probes
