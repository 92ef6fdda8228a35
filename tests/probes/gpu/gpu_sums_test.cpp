// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of a GPU's samples, whose answers are known by construction.
#include "probes/gpu/gpu_sums.h"

#include "probes/gpu/gpu_recording.h"

#include <gmock/gmock.h>

#include <cstdint>

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

}  // namespace
}  // namespace dlbench::probes
