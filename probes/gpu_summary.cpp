// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace dlbench::probes {
namespace {

using Number = std::optional<double>;

constexpr const char* kNotTold = "the device or its driver does not tell";
constexpr const char* kNeverAtWork = "no sample saw the GPU at work";

/// A value of the report: without a number its reason, and its source where there are several.
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

Number ratio(Number part, Number whole) {
  return part.has_value() && whole.has_value() && *whole > 0.0 ? Number(*part / *whole)
                                                               : std::nullopt;
}

/// Returns nothing if some window's last sample lacks the value.
Number integral(const GpuSums& sums, GpuValue value) {
  const GpuValueSums& of = sums.of(value);
  return of.covered ? Number(of.integral) : std::nullopt;
}

Number mean(const GpuSums& sums, GpuValue value) {
  return ratio(integral(sums, value), sums.sampled_s());
}

/// Returns the mean of the limits that were in force, as a site may change it during a run.
Number power_limit(const GpuIdentity& gpu, const GpuSums& sums) {
  const GpuValueSums& of = sums.of(GpuValue::kPowerLimit);
  const Number seen = of.min == of.max ? of.max : mean(sums, GpuValue::kPowerLimit);
  return seen.has_value() ? seen : gpu.power_limit_watt;
}

Told at_work(const GpuSums& sums, GpuValue value, Number number) {
  return {number, sums.worked() && !sums.of(value).told ? kNotTold : kNeverAtWork};
}

/// Returns the mean over the time of the samples that have the value, with the device at work.
Told mean_at_work(const GpuSums& sums, GpuValue value) {
  const GpuValueSums& of = sums.of(value);
  return at_work(sums, value, ratio(of.at_work, of.at_work_s));
}

/// Uses the counter if it covers every window, else the power if that has enough samples. Returns
/// nothing if the two contradict each other, as one of the sensors is then wrong.
Told energy_joules(const GpuSums& sums) {
  constexpr double kMaxEnergyRatio = 2.0;
  const Number counted = sums.counted_joules();
  const Number integrated =
      sums.has_enough_of_power() ? integral(sums, GpuValue::kPower) : std::nullopt;
  if (counted.has_value() && integrated.has_value() &&
      std::max(*counted, *integrated) > kMaxEnergyRatio * std::min(*counted, *integrated)) {
    return {std::nullopt,
            fmt::format("the energy counter says {:.4g} J and the integral of the power {:.4g} J: "
                        "one of the device's sensors is wrong",
                        *counted,
                        *integrated)};
  }
  Told energy(counted.has_value() ? counted : integrated,
              "in some window the energy counter changed less than five times, and there were not "
              "enough samples of the power instead");
  if (energy.value.has_value()) {
    energy.source = counted.has_value() ? "counter" : "power";
  }
  return energy;
}

Told reason_share(const GpuSums& sums, Number share) {
  return {share, sums.worked() ? kNotTold : kNeverAtWork};
}

Told events(const GpuSums& sums, GpuFault fault) {
  const std::optional<std::int64_t> count = sums.events(fault);
  return count.has_value() ? Number(static_cast<double>(*count)) : std::nullopt;
}

Number neighbours_share(const GpuSums& sums) {
  return sums.neighbours().has_value() ? Number(sums.neighbours()->busy_share) : std::nullopt;
}

/// One value: its name in the report, and how it follows from the sums.
struct Row {
  ValueSpec spec;
  std::function<Told(const GpuIdentity&, const GpuSums&)> told;
};

using G = const GpuIdentity&;
using S = const GpuSums&;

std::vector<Row> power_rows() {
  return {
      {{"energy_joules", "J", "by the driver's energy counter, else the integral of the power"},
       [](G, S s) { return energy_joules(s); }},
      {{"energy_integrated_joules", "J", "integral of the power samples: checks energy_joules"},
       [](G, S s) { return integral(s, GpuValue::kPower); }},
      {{"power_mean_watt", "W", "of the momentary power"},
       [](G, S s) { return mean(s, GpuValue::kPower); }},
      {{"power_max_watt", "W", "of the momentary power"},
       [](G, S s) { return s.of(GpuValue::kPower).max; }},
      {{"power_average_watt", "W", "mean of the driver's own average over a second"},
       [](G, S s) {
         return Told(mean(s, GpuValue::kPowerAverage),
                     s.of(GpuValue::kPowerAverage).told
                         ? "in some repetition there was none of a second that lay in it"
                         : kNotTold);
       }},
      {{"power_limit_watt", "W", "limit in force, mean over the time"},
       [](G g, S s) { return power_limit(g, s); }},
      {{"power_share_of_limit", "", "power_mean_watt / power_limit_watt: how well the GPU is used"},
       [](G g, S s) { return ratio(mean(s, GpuValue::kPower), power_limit(g, s)); }}};
}

std::vector<Row> load_rows() {
  return {{{"busy_share", "", "of time any kernel ran, however small"},
           [](G, S s) { return mean_at_work(s, GpuValue::kBusyShare); }},
          {{"memory_busy_share", "", "of time its memory was read or written"},
           [](G, S s) { return mean_at_work(s, GpuValue::kMemoryBusyShare); }},
          {{"memory_used_max_bytes", "B", "by all processes and the driver"},
           [](G, S s) { return s.of(GpuValue::kMemoryUsed).max; }},
          {{"foreign_busy_share",
            "",
            "of time the busiest process of others computed, in the driver's sample with most"},
           [](G, S s) { return neighbours_share(s); }}};
}

std::vector<Row> clock_rows() {
  return {
      {{"temperature_max_celsius", "C", "of the chip"},
       [](G, S s) { return s.of(GpuValue::kTemperature).max; }},
      {{"memory_temperature_max_celsius", "C", "of the memory"},
       [](G, S s) { return s.of(GpuValue::kMemoryTemperature).max; }},
      {{"sm_clock_mean_mhz", "MHz", "of the multiprocessors"},
       [](G, S s) { return mean_at_work(s, GpuValue::kSmClock); }},
      {{"sm_clock_min_mhz", "MHz", "lowest seen"},
       [](G, S s) { return at_work(s, GpuValue::kSmClock, s.of(GpuValue::kSmClock).min_at_work); }},
      {{"sm_clock_limit_mhz", "MHz", "highest this device may run at"},
       [](G g, S) { return g.max_sm_clock_mhz; }},
      {{"memory_clock_mean_mhz", "MHz", "of the memory"},
       [](G, S s) { return mean_at_work(s, GpuValue::kMemoryClock); }},
      {{"throttled_share", "", "of samples: heat, hardware slowdown or power brake"},
       [](G, S s) { return reason_share(s, s.throttled_share()); }},
      {{"power_cap_share", "", "of samples: clocks held back by the power limit"},
       [](G, S s) { return reason_share(s, s.reason_share(ClockReason::kPowerCap)); }},
      {{"hardware_slowdown_share", "", "of samples"},
       [](G, S s) { return reason_share(s, s.reason_share(ClockReason::kHardwareSlowdown)); }},
      {{"software_thermal_share", "", "of samples"},
       [](G, S s) { return reason_share(s, s.reason_share(ClockReason::kSoftwareThermal)); }},
      {{"hardware_thermal_share", "", "of samples"},
       [](G, S s) { return reason_share(s, s.reason_share(ClockReason::kHardwareThermal)); }},
      {{"power_brake_share", "", "of samples"},
       [](G, S s) { return reason_share(s, s.reason_share(ClockReason::kPowerBrake)); }},
      {{"other_reason_share", "", "of samples: clocks held back by what dlbench has no name for"},
       [](G, S s) { return reason_share(s, s.other_reason_share()); }}};
}

std::vector<Row> monitor_rows() {
  return {{{"xid_events", "", "errors reported by the driver"},
           [](G, S s) { return events(s, GpuFault::kXid); }},
          {{"ecc_corrected_events", "", "single bits repaired"},
           [](G, S s) { return events(s, GpuFault::kEccCorrected); }},
          {{"ecc_uncorrected_events", "", "data lost in the GPU's memory"},
           [](G, S s) { return events(s, GpuFault::kEccUncorrected); }},
          {{"samples", "", "looks at the sensors"},
           [](G, S s) { return static_cast<double>(s.samples()); }},
          {{"window_seconds", "s", "of all repetitions"}, [](G, S s) { return s.window_s(); }},
          {{"monitor_cpu_seconds", "s", "CPU time of reading the sensors"},
           [](G, S s) { return s.monitor_cpu_s(); }},
          {{"monitor_cpu_share", "", "of one core's time"},
           [](G, S s) { return ratio(s.monitor_cpu_s(), s.window_s()); }}};
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

/// Whether it is an Xid that ends the work of one process, because of its own error or an earlier
/// one (NVIDIA's "XID Errors"): graphics engine exception, MMU fault, stopped processing,
/// preemptive cleanup, decoder exception, graphics class error, contained memory error, context
/// switch timeout. The driver does not say which
/// process; CUDA informs the one concerned.
bool is_of_application(const GpuEvent& event) {
  constexpr std::array<std::int64_t, 8> kXids{13, 31, 43, 45, 68, 69, 94, 109};
  return event.fault == GpuFault::kXid && std::ranges::find(kXids, event.code) != kXids.end();
}

/// Whether it concerns memory that was repaired or will be at the next reset (a row to be replaced,
/// many corrected bits), which does not affect running work (nvmlDeviceGetRemappedRows).
bool is_of_repair(const GpuEvent& event) {
  return event.fault == GpuFault::kEccCorrected ||
         (event.fault == GpuFault::kXid && (event.code == 63 || event.code == 92));
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

std::vector<ProbeValue> gpu_values(const GpuIdentity& gpu, const GpuSums& sums) {
  std::vector<ProbeValue> values;
  for (const Row& row : rows()) {
    Told told =
        sums.windows() == 0 ? Told(std::nullopt, "no window of this trial") : row.told(gpu, sums);
    values.push_back({row.spec.name, told.value, std::move(told.reason), std::move(told.source)});
  }
  return values;
}

std::vector<ProbeValue> gpu_values(const GpuIdentity& gpu, const std::vector<GpuWindow>& windows) {
  GpuSums sums;
  for (const GpuWindow& window : windows) {
    sums += sums_of(window);
  }
  return gpu_values(gpu, sums);
}

void note_neighbours(const GpuNeighbours& neighbours, DeviceConditions& conditions) {
  conditions.foreign_share = neighbours.busy_share;
  conditions.neighbours = neighbours_text(neighbours);
}

DeviceConditions judge_window(const GpuIdentity& gpu,
                              const GpuSums& sums,
                              const std::vector<GpuEvent>& events) {
  DeviceConditions conditions;
  conditions.sm_clock_mhz = sums.of(GpuValue::kSmClock).min_at_work;
  conditions.throttle_reasons = clock_reason_names(sums.reasons());
  conditions.throttled = is_throttled(sums.reasons());
  conditions.reported = first_fault(gpu, events);
  if (sums.neighbours().has_value()) {
    note_neighbours(*sums.neighbours(), conditions);
  }
  return conditions;
}

DeviceConditions judge_window(const GpuIdentity& gpu, const GpuWindow& window) {
  return judge_window(gpu, sums_of(window), window.events);
}

DeviceConditions judge_moment(const GpuSample& sample) {
  GpuSums sums;
  sums.begin({});  // which counts for nothing
  sums.add(sample);
  return judge_window({}, sums, {});
}

DeviceFault first_fault(const GpuIdentity& gpu, const std::vector<GpuEvent>& events) {
  DeviceFault first;
  std::string repair;
  for (const GpuEvent& event : events) {
    const std::string text = fault_text(gpu, event);
    if (is_of_repair(event)) {
      repair = repair.empty() ? text : repair;
      continue;
    }
    if (first.possible_cause.empty()) {
      first.possible_cause = text;
    }
    if (first.fault.empty() && !is_of_application(event)) {
      first.fault = text;
    }
  }
  if (first.possible_cause.empty()) {
    first.possible_cause = std::move(repair);
  }
  return first;
}

}  // namespace dlbench::probes
