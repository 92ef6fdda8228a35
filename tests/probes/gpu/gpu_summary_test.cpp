// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The judgement of windows whose answers are known by construction.
#include "probes/gpu_summary.h"

#include "probes/gpu/gpu_recording.h"
#include "tests/probes/gpu/value_of.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSyntheticRecording = DLBENCH_RECORDED "/nvml_synthetic.json";
constexpr std::int64_t kMillisecond = 1'000'000;

/// A window of `length_ms` with a sample every 100 ms and one at its end, at `watt` after a pause
/// at 80 W. The driver's counter moves every `period_ms`, the first time after half of it.
GpuWindow steady_window(std::int64_t length_ms, double watt, std::int64_t period_ms = 100) {
  GpuWindow window{.begin_ns = 0, .end_ns = length_ms * kMillisecond};
  const auto counter = [&](std::int64_t now_ms) {
    const std::int64_t half = period_ms / 2;
    const std::int64_t moved =
        now_ms < half ? -half : (now_ms - half) / period_ms * period_ms + half;
    return 1e-3 * static_cast<double>(moved) * (moved < 0 ? 80.0 : watt);
  };
  for (std::int64_t now_ms = 0; now_ms < length_ms + 100; now_ms += 100) {
    const std::int64_t at_ms = std::min(now_ms, length_ms);
    window.samples.push_back({.time_ns = at_ms * kMillisecond,
                              .power_watt = at_ms == 0 ? 80.0 : watt,
                              .energy_joules = counter(at_ms)});
  }
  return window;
}

TEST(GpuSummary, EnergyIsTheCountersRateBetweenItsFirstAndLastChange) {
  const std::vector<GpuWindow> windows{steady_window(1040, 300.0), steady_window(660, 500.0)};
  const ProbeValue energy = gpu_values({}, windows).front();
  EXPECT_NEAR(energy.value.value(), 1.04 * 300.0 + 0.66 * 500.0, 1e-6);
  EXPECT_EQ(energy.source, "counter");
  EXPECT_EQ(energy.reason, "");
}

TEST(GpuSummary, WhereTheCounterMovesTooSeldomEnergyComesFromThePower) {
  const ProbeValue short_window =
      gpu_values({}, {steady_window(1000, 300.0), steady_window(500, 500.0, 200)}).front();
  EXPECT_NEAR(short_window.value.value(), 300.0 + 250.0, 1e-9) << "all windows by one source";
  EXPECT_EQ(short_window.source, "power");
  const ProbeValue shorter = gpu_values({}, {steady_window(300, 300.0)}).front();
  EXPECT_FALSE(shorter.value.has_value()) << "three samples of the power are no integral";
  EXPECT_EQ(shorter.source, "");
  EXPECT_THAT(shorter.reason, HasSubstr("not enough samples of the power"));
  GpuWindow fell_back = steady_window(1000, 300.0);
  fell_back.samples[5].energy_joules = 0.0;
  EXPECT_EQ(gpu_values({}, {fell_back}).front().source, "power");
}

TEST(GpuSummary, LooksWithoutThePowerAreNoSamplesOfIt) {
  GpuWindow window = steady_window(1000, 300.0);
  for (std::size_t index = 0; index < window.samples.size(); ++index) {
    window.samples[index].energy_joules.reset();
    if (index > 0 && index + 5 < window.samples.size()) {
      window.samples[index].power_watt.reset();
    }
  }
  EXPECT_NEAR(gpu_values({}, {window}).front().value.value_or(0.0), 300.0, 1e-9) << "five have it";
  window.samples[window.samples.size() - 2].power_watt.reset();
  EXPECT_FALSE(gpu_values({}, {window}).front().value.has_value()) << "four";
}

TEST(GpuSummary, EnergyIsNotTakenFromSensorsThatContradictEachOther) {
  for (const double factor : {0.4, 0.6, 1.8, 2.5}) {
    GpuWindow window = steady_window(1000, 300.0);
    for (GpuSample& sample : window.samples) {
      sample.power_watt = *sample.power_watt * factor;
    }
    const ProbeValue energy = gpu_values({}, {window}).front();
    const bool contradict = factor < 0.5 || factor > 2.0;
    EXPECT_EQ(energy.value.has_value(), !contradict) << factor;
    EXPECT_EQ(energy.source, contradict ? "" : "counter") << factor;
    if (!contradict) {
      EXPECT_NEAR(energy.value.value_or(0.0), 300.0, 1e-9) << "by the source that it names";
    } else {
      EXPECT_THAT(energy.reason,
                  HasSubstr("the energy counter says 300 J and the integral of the "));
    }
  }
}

// Busy for half of the time up to 500 ms, and always from then on to 1100 ms; asked three times.
TEST(GpuSummary, AValueThatIsAskedForSeldomStandsForTheTimeSinceTheLast) {
  GpuWindow window = steady_window(1100, 300.0);
  ASSERT_EQ(window.samples.size(), 12U);
  for (const auto& [look, busy, bytes] :
       {std::tuple{0, 0.25, 1}, std::tuple{5, 0.5, 7}, std::tuple{11, 1.0, 3}}) {
    GpuSample& sample = window.samples[static_cast<std::size_t>(look)];
    sample.busy_share = busy;
    sample.memory_used_bytes = bytes;
    sample.memory_busy_share = 0.1 * busy;
  }
  const std::vector<ProbeValue> values = gpu_values({}, {window, window});
  EXPECT_NEAR(number(values, "busy_share").value(), (0.5 * 5 + 1.0 * 6) / 11, 1e-12);
  EXPECT_NEAR(number(values, "memory_busy_share").value(), (0.05 * 5 + 0.1 * 6) / 11, 1e-12);
  EXPECT_EQ(number(values, "memory_used_max_bytes"), 7.0);
  EXPECT_NEAR(number(values, "power_mean_watt").value(), 300.0, 1e-9);
  EXPECT_FALSE(number(values, "power_average_watt").has_value());
}

// Which the pause before a window has no part in.
TEST(GpuSummary, TheAverageOfASecondCountsWhereThatSecondLiesInTheWindow) {
  const auto average = [](const GpuWindow& window) {
    const std::vector<ProbeValue> values = gpu_values({}, {window});
    return *std::find_if(values.begin(), values.end(), [](const ProbeValue& value) {
      return value.name == "power_average_watt";
    });
  };
  GpuWindow window = steady_window(1600, 300.0);
  window.samples[5].power_average_watt = 190.0;
  window.samples[15].power_average_watt = 300.0;
  window.samples[16].power_average_watt = 316.0;
  EXPECT_NEAR(average(window).value.value(), 301.0, 1e-9);
  window.samples.back().power_average_watt.reset();
  EXPECT_FALSE(average(window).value.has_value()) << "nothing is known of its last 100 ms";
  window = steady_window(900, 300.0);
  EXPECT_EQ(average(window).reason, "the device or its driver does not tell");
  window.samples[5].power_average_watt = 190.0;
  window.samples.back().power_average_watt = 280.0;
  EXPECT_FALSE(average(window).value.has_value());
  EXPECT_EQ(average(window).reason, "in some repetition there was none of a second that lay in it");
}

TEST(GpuSummary, WhatThePauseShowsIsNoClockAndNoReason) {
  constexpr auto kIdle = static_cast<std::uint64_t>(ClockReason::kIdle);
  GpuWindow window{.begin_ns = 0, .end_ns = 3 * kMillisecond};
  // Heat of before the window, idle work in it, and one sample at work.
  window.samples = {
      {.time_ns = 0, .busy_share = 0.5, .sm_clock_mhz = 300.0, .clock_reasons = 0x40},
      {.time_ns = kMillisecond,
       .busy_share = 0.0,
       .sm_clock_mhz = 345.0,
       .clock_reasons = kIdle | 0x40},
      {.time_ns = 3 * kMillisecond, .busy_share = 1.0, .sm_clock_mhz = 1700.0, .clock_reasons = 4}};
  std::vector<ProbeValue> values = gpu_values({}, {window});
  EXPECT_EQ(number(values, "sm_clock_min_mhz"), 1700.0);
  EXPECT_EQ(number(values, "sm_clock_mean_mhz"), 1700.0);
  EXPECT_EQ(number(values, "busy_share"), 1.0);
  EXPECT_EQ(number(values, "throttled_share"), 0.0);
  EXPECT_EQ(number(values, "power_cap_share"), 1.0);
  EXPECT_EQ(number(values, "samples"), 3.0) << "all looks are counted";
  EXPECT_EQ(judge_window({}, window).sm_clock_mhz, 1700.0);
  EXPECT_FALSE(judge_window({}, window).throttled);

  window.samples.pop_back();
  values = gpu_values({}, {window});
  for (const ProbeValue& value : values) {
    if (value.name == "sm_clock_min_mhz" || value.name == "busy_share" ||
        value.name == "throttled_share") {
      EXPECT_FALSE(value.value.has_value()) << value.name;
      EXPECT_EQ(value.reason, "no sample saw the GPU at work");
    }
  }
  EXPECT_FALSE(judge_window({}, window).sm_clock_mhz.has_value());
  EXPECT_THAT(judge_window({}, window).throttle_reasons, ElementsAre());
}

/// Samples a second apart, from the window's begin to its end.
GpuWindow window_each_second(std::vector<GpuSample> samples) {
  GpuWindow window;
  for (GpuSample& sample : samples) {
    sample.time_ns = 1000 * kMillisecond * static_cast<std::int64_t>(window.samples.size());
    window.end_ns = sample.time_ns;
    window.samples.push_back(sample);
  }
  return window;
}

TEST(GpuSummary, EachRowIsOfItsOwnSensor) {
  const GpuSample look{.power_watt = 400.0,
                       .power_average_watt = 300.0,
                       .busy_share = 0.75,
                       .memory_busy_share = 0.25,
                       .temperature_celsius = 50.0,
                       .memory_temperature_celsius = 80.0,
                       .sm_clock_mhz = 1500.0,
                       .memory_clock_mhz = 2600.0};
  const std::vector<ProbeValue> values =
      gpu_values({.power_limit_watt = 500.0, .max_sm_clock_mhz = 1980.0},
                 {window_each_second({{}, look, look})});
  const auto expect = [&](const char* name, double wanted) {
    EXPECT_NEAR(number(values, name).value_or(-1.0), wanted, 1e-12) << name;
  };
  expect("power_mean_watt", 400.0);
  expect("power_max_watt", 400.0);
  expect("power_average_watt", 300.0);
  expect("power_limit_watt", 500.0);
  expect("power_share_of_limit", 0.8);
  expect("busy_share", 0.75);
  expect("memory_busy_share", 0.25);
  expect("temperature_max_celsius", 50.0);
  expect("memory_temperature_max_celsius", 80.0);
  expect("sm_clock_mean_mhz", 1500.0);
  expect("sm_clock_limit_mhz", 1980.0);
  expect("memory_clock_mean_mhz", 2600.0);
}

TEST(GpuSummary, ThePowerLimitIsTheMeanOfThoseInForce) {
  const GpuWindow lowered = window_each_second({{},
                                                {.power_watt = 300.0, .power_limit_watt = 700.0},
                                                {.power_watt = 300.0},
                                                {.power_watt = 300.0, .power_limit_watt = 300.0}});
  const std::vector<ProbeValue> values = gpu_values({.power_limit_watt = 700.0}, {lowered});
  EXPECT_NEAR(number(values, "power_limit_watt").value_or(0.0), (700.0 + 2 * 300.0) / 3, 1e-9);
  EXPECT_NEAR(number(values, "power_share_of_limit").value_or(0.0), 9.0 / 13, 1e-9);
}

// Over these times its integral by their sum is 699.9999999999999.
TEST(GpuSummary, ALimitThatNeverChangesIsToldAsItIs) {
  GpuWindow window;
  for (const std::int64_t ns : {0, 3'000'003, 14'400'008, 47'700'020}) {
    window.samples.push_back({.time_ns = ns, .power_limit_watt = 700.0});
    window.end_ns = ns;
  }
  EXPECT_EQ(number(gpu_values({}, {window}), "power_limit_watt"), 700.0);
}

TEST(GpuSummary, TheIntegralOfThePowerHasTheIdleTimeToo) {
  const GpuWindow window = window_each_second({{},
                                               {.power_watt = 100.0, .clock_reasons = 0x1},
                                               {.power_watt = 300.0, .clock_reasons = 0x0}});
  EXPECT_EQ(number(gpu_values({}, {window}), "energy_integrated_joules"), 400.0);
  EXPECT_EQ(number(gpu_values({}, {window}), "power_mean_watt"), 200.0);
}

TEST(GpuSummary, EachReasonHasItsOwnShare) {
  std::vector<GpuSample> samples(1);
  for (const std::uint64_t reasons :
       {0x20U, 0x20U, 0x40U, 0x40U, 0x40U, 0x80U, 0x8U, 0x8U, 0x4U, 0x0U}) {
    samples.push_back({.clock_reasons = reasons});
  }
  const std::vector<ProbeValue> values = gpu_values({}, {window_each_second(samples)});
  EXPECT_EQ(number(values, "throttled_share"), 0.8);
  EXPECT_EQ(number(values, "power_cap_share"), 0.1);
  EXPECT_EQ(number(values, "hardware_slowdown_share"), 0.2);
  EXPECT_EQ(number(values, "software_thermal_share"), 0.2);
  EXPECT_EQ(number(values, "hardware_thermal_share"), 0.3);
  EXPECT_EQ(number(values, "power_brake_share"), 0.1);
  EXPECT_EQ(number(values, "other_reason_share"), 0.0);
}

// NVML's documentation: new reasons might be added.
TEST(GpuSummary, AReasonThatIsNewHasANameAndAShare) {
  const std::vector<GpuSample> samples{
      {}, {.clock_reasons = 0x200}, {.clock_reasons = 0x8000000000000404}, {.clock_reasons = 0x4}};
  const GpuWindow window = window_each_second(samples);
  EXPECT_THAT(
      judge_window({}, window).throttle_reasons,
      ElementsAre("power_cap", "reason_0x200", "reason_0x400", "reason_0x8000000000000000"));
  EXPECT_FALSE(judge_window({}, window).throttled) << "nobody knows";
  EXPECT_DOUBLE_EQ(number(gpu_values({}, {window}), "other_reason_share").value(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(number(gpu_values({}, {window, window}), "other_reason_share").value(),
                   2.0 / 3.0);
}

TEST(GpuSummary, EachFaultIsCountedAsWhatItIs) {
  GpuWindow window = window_each_second({{}, {.clock_reasons = 0x4}});
  window.watched_faults = {GpuFault::kXid, GpuFault::kEccCorrected, GpuFault::kEccUncorrected};
  window.events.assign(6, GpuEvent{.fault = GpuFault::kXid});
  window.events[0].fault = GpuFault::kEccCorrected;
  window.events[1].fault = window.events[2].fault = GpuFault::kEccUncorrected;
  const std::vector<ProbeValue> values = gpu_values({}, {window});
  EXPECT_EQ(number(values, "xid_events"), 3.0);
  EXPECT_EQ(number(values, "ecc_corrected_events"), 1.0);
  EXPECT_EQ(number(values, "ecc_uncorrected_events"), 2.0);
}

TEST(GpuSummary, WatchingIsAShareOfTheWindowAndNotOfItsSamples) {
  GpuWindow window = window_each_second({{}, {.clock_reasons = 0x4}});
  window.end_ns = 2000 * kMillisecond;
  window.monitor_cpu_s = 0.02;
  EXPECT_EQ(number(gpu_values({}, {window}), "monitor_cpu_share"), 0.01);
}

TEST(GpuSummary, WhatIsNotToldOfAGpuAtWorkIsSaidSo) {
  for (const ProbeValue& value :
       gpu_values({}, {window_each_second({{}, {.clock_reasons = 0x4}})})) {
    if (value.name == "sm_clock_mean_mhz") {
      EXPECT_EQ(value.reason, "the device or its driver does not tell");
    }
  }
}

TEST(GpuSummary, NoEventIsZeroOnlyWhereEventsWereWatched) {
  GpuWindow window = steady_window(1000, 300.0);
  window.watched_faults = {GpuFault::kXid};
  const std::vector<ProbeValue> values = gpu_values({}, {window});
  EXPECT_EQ(number(values, "xid_events"), 0.0);
  EXPECT_FALSE(number(values, "ecc_uncorrected_events").has_value());
  EXPECT_FALSE(number(gpu_values({}, {window, steady_window(1000, 300.0)}), "xid_events"))
      << "in the second window nobody looked";
}

TEST(GpuSummary, NamesFaultsAndThrottlingOfAWindow) {
  const GpuRecording recording = read_gpu_recording(kSyntheticRecording);
  const DeviceConditions calm = judge_window(recording.gpu, recording.windows[0].window);
  EXPECT_EQ(calm.reported.fault, "");
  EXPECT_FALSE(calm.throttled) << "the power cap is no fault of a GPU that is well used";
  EXPECT_THAT(calm.throttle_reasons, ElementsAre("power_cap"));
  EXPECT_EQ(calm.sm_clock_mhz, 1400.0);
  const DeviceConditions hot = judge_window(recording.gpu, recording.windows[1].window);
  EXPECT_EQ(hot.reported.fault, "") << "a corrected bit is counted, not a fault";
  EXPECT_TRUE(hot.throttled);
  EXPECT_THAT(hot.throttle_reasons, ElementsAre("power_cap", "hardware_thermal"));
  EXPECT_EQ(judge_window(recording.gpu, recording.windows[2].window).reported.fault,
            "Synthetic GPU (00000000:41:00.0) reported Xid 79 during a measurement: the kernel log "
            "(dmesg) says more");
}

}  // namespace
}  // namespace dlbench::probes
