// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of a GPU's samples, whose answers are known by construction.
#include "probes/gpu/gpu_sums.h"

#include "probes/gpu/gpu_recording.h"

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::Optional;

constexpr std::int64_t kNsPerMs = 1'000'000;

// 300 W for a day but for one sample of 900 W: what is kept does not grow.
TEST(GpuSums, ATrainingOfDaysKeepsItsEnergyAndItsExtremes) {
  constexpr std::int64_t kLooks = 24LL * 3600 * 10;
  GpuSums sums;
  sums.begin({.time_ns = 0, .energy_joules = 0.0});
  for (std::int64_t look = 1; look <= kLooks; ++look) {
    const bool odd = look == kLooks / 3;
    sums.add({.time_ns = look * 100 * kNsPerMs,
              .power_watt = odd ? 900.0 : 300.0,
              .energy_joules = 30.0 * static_cast<double>(look),
              .sm_clock_mhz = odd ? 1000.0 : 1700.0,
              .clock_reasons = odd ? 0x40U : 0x4U});
  }
  sums.end({.begin_ns = 0, .end_ns = kLooks * 100 * kNsPerMs, .monitor_cpu_s = 1.0});
  const double seconds = 0.1 * static_cast<double>(kLooks);
  EXPECT_NEAR(sums.of(GpuValue::kPower).integral, 300.0 * seconds + 60.0, 1e-3);
  EXPECT_THAT(sums.counted_joules(), Optional(testing::DoubleNear(300.0 * seconds, 1e-3)));
  EXPECT_THAT(sums.of(GpuValue::kPower).max, Optional(900.0));
  EXPECT_THAT(sums.of(GpuValue::kSmClock).min_at_work, Optional(1000.0));
  EXPECT_THAT(sums.throttled_share(), Optional(1.0 / static_cast<double>(kLooks)));
  EXPECT_EQ(sums.samples(), kLooks + 1);
  EXPECT_LT(sizeof(GpuSums), 4096U);
}

TEST(GpuSums, OfWindowsAreThoseOfTheirParts) {
  const GpuRecording recording = read_gpu_recording(DLBENCH_RECORDED "/nvml_synthetic.json");
  GpuSums all;
  double joules = 0.0;
  std::int64_t samples = 0;
  for (const RecordedWindow& recorded : recording.windows) {
    const GpuSums one = sums_of(recorded.window);
    joules += one.of(GpuValue::kPower).integral;
    samples += one.samples();
    all += one;
  }
  EXPECT_DOUBLE_EQ(all.of(GpuValue::kPower).integral, joules);
  EXPECT_EQ(all.samples(), samples);
  EXPECT_EQ(all.windows(), 3);
}

/// A window of samples every 100 ms, with these readings of the energy counter (below 0: none).
GpuWindow window_of(const std::vector<double>& joules) {
  GpuWindow window{.begin_ns = 0,
                   .end_ns = 100 * kNsPerMs * (static_cast<std::int64_t>(joules.size()) - 1)};
  for (const double reading : joules) {
    GpuSample sample{.time_ns = 100 * kNsPerMs * static_cast<std::int64_t>(window.samples.size())};
    if (reading >= 0.0) {
      sample.energy_joules = reading;
    }
    window.samples.push_back(sample);
  }
  return window;
}

// The first two changes hold some of the pause before the window: 10 and 15 J, then 300 W.
TEST(GpuSums, EnergyIsThatBetweenTheSecondChangeAndTheLastButOneSample) {
  const GpuSums sums = sums_of(window_of({1000, 1010, 1025, 1055, 1085, 1115, 1145, 1175, 1999}));
  EXPECT_THAT(sums.counted_joules(), Optional(testing::DoubleNear(0.8 * 300.0, 1e-9)));
}

TEST(GpuSums, EnergyOfFewChangesOrOfACounterThatFellBackIsNotTold) {
  EXPECT_EQ(sums_of(window_of({0, 30, 60, 90, 120, 150})).counted_joules(), std::nullopt)
      << "the change that the last sample sees has no time";
  EXPECT_THAT(sums_of(window_of({0, 30, 60, 90, 120, 150, 180})).counted_joules(),
              Optional(testing::DoubleNear(180.0, 1e-9)));
  EXPECT_EQ(sums_of(window_of({0, 30, 60, 90, 20, 120, 150, 180, 210})).counted_joules(),
            std::nullopt);
}

TEST(GpuSums, AWindowThatDoesNotTellTakesItFromAll) {
  GpuWindow good = window_of({0, 30, 60, 90, 120, 150, 180});
  good.watched_faults = {GpuFault::kXid};
  GpuWindow bad = window_of({0, 30});
  for (GpuSample& sample : good.samples) {
    sample.power_watt = 300.0;
  }
  for (const bool bad_first : {true, false}) {
    GpuSums sums = sums_of(bad_first ? bad : good);
    sums += sums_of(bad_first ? good : bad);
    EXPECT_EQ(sums.counted_joules(), std::nullopt) << bad_first;
    EXPECT_FALSE(sums.of(GpuValue::kPower).covered) << bad_first;
    EXPECT_FALSE(sums.has_enough_of_power()) << bad_first;
    EXPECT_EQ(sums.events(GpuFault::kXid), std::nullopt) << bad_first;
  }
  EXPECT_TRUE(sums_of(good).of(GpuValue::kPower).covered);
  EXPECT_EQ(sums_of(good).events(GpuFault::kXid), 0);
}

/// Of `seconds` with four samples beside the first, all with these reasons.
GpuWindow window_with_reasons(std::int64_t seconds, std::uint64_t reasons) {
  GpuWindow window{.begin_ns = 0,
                   .end_ns = seconds * 1000 * kNsPerMs,
                   .monitor_cpu_s = 0.01 * static_cast<double>(seconds),
                   .watched_faults = {GpuFault::kXid}};
  for (std::int64_t sample = 0; sample <= 4; ++sample) {
    window.samples.push_back({.time_ns = sample * window.end_ns / 4, .clock_reasons = reasons});
  }
  window.events.assign(static_cast<std::size_t>(seconds), GpuEvent{.fault = GpuFault::kXid});
  return window;
}

TEST(GpuSums, OfTwoWindowsEachCountIsThatOfBoth) {
  GpuSums sums = sums_of(window_with_reasons(1, 0x4));
  sums += sums_of(window_with_reasons(2, 0x40));
  EXPECT_THAT(sums.throttled_share(), Optional(0.5));
  EXPECT_THAT(sums.reason_share(ClockReason::kHardwareThermal), Optional(0.5));
  EXPECT_EQ(sums.reasons(), 0x44U);
  EXPECT_EQ(sums.events(GpuFault::kXid), 3);
  EXPECT_DOUBLE_EQ(sums.window_s(), 3.0);
  EXPECT_DOUBLE_EQ(sums.sampled_s(), 3.0);
  EXPECT_DOUBLE_EQ(sums.monitor_cpu_s(), 0.03);
}

TEST(GpuSums, WorkInOneWindowIsWork) {
  const GpuWindow at_work = window_with_reasons(1, 0x4);
  const GpuWindow idle = window_with_reasons(1, 0x1);
  for (const bool idle_first : {true, false}) {
    GpuSums sums = sums_of(idle_first ? idle : at_work);
    sums += sums_of(idle_first ? at_work : idle);
    EXPECT_TRUE(sums.worked()) << idle_first;
  }
}

TEST(GpuSums, FourSamplesOfThePowerBesideTheFirstAreTooFew) {
  GpuWindow window = window_of({0, 0, 0, 0, 0, 0});
  for (GpuSample& sample : window.samples) {
    sample.power_watt = 300.0;
  }
  EXPECT_TRUE(sums_of(window).has_enough_of_power());
  window.samples[3].power_watt.reset();
  EXPECT_FALSE(sums_of(window).has_enough_of_power());
}

TEST(GpuSums, ADeviceThatTellsNoReasonsIsTakenToHaveWorked) {
  EXPECT_TRUE(sums_of(window_of({-1, -1})).worked());
  EXPECT_FALSE(sums_of(window_of({-1})).worked()) << "the first shows the pause";
  GpuWindow idle = window_of({-1, -1});
  for (GpuSample& sample : idle.samples) {
    sample.clock_reasons = static_cast<std::uint64_t>(ClockReason::kIdle);
  }
  EXPECT_FALSE(sums_of(idle).worked());
}

}  // namespace
}  // namespace dlbench::probes
