// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probe nvml_pcie on a fake NVML, whose counters wrap after the first reading. With each
// the GPU has received 512 bytes more and sent 256.
#include "engine/core/trace.h"
#include "probes/registry.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace dlbench::probes {
namespace {

std::map<std::string, std::optional<double>> measure(Probe& probe,
                                                     int steps,
                                                     std::chrono::milliseconds length) {
  probe.begin_trial("full");
  probe.begin_steps();
  for (int step = 0; step < steps; ++step) {
    const core::trace::RegionInfo region{core::trace::Category::kStep, "step", step};
    probe.sink()->begin(region);
    probe.sink()->end(region);
  }
  std::this_thread::sleep_for(length);
  probe.end_trial();
  std::map<std::string, std::optional<double>> values;
  const ProbeValues collected = probe.collect("full");
  EXPECT_TRUE(collected.available) << collected.reason;
  for (const ProbeValue& value : collected.values) {
    values[value.name] = value.value;
  }
  return values;
}

TEST(NvmlPcie, CountsTheBytesOfItsRepetition) {
  const auto probe = make_probe("nvml_pcie");
  ASSERT_EQ(open_probe(*probe, {{"library", DLBENCH_FAKE_NVML}}), "");
  EXPECT_TRUE(probe->spec().own_repetition);
  EXPECT_EQ(probe->collect("full").reason, "no repetition of its own has run");
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  double readings = 0.0;
  for (std::chrono::milliseconds length{0};
       readings < 3.0 && std::chrono::steady_clock::now() < patience;
       length = 2 * length + std::chrono::milliseconds(20)) {
    const auto begin = std::chrono::steady_clock::now();
    auto values = measure(*probe, 4, length);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LE(values.at("window_seconds").value(), took.count());
    EXPECT_GE(values.at("window_seconds").value(), 1e-3 * static_cast<double>(length.count()));
    EXPECT_EQ(values.at("steps"), 4.0);
    readings = 4 * values.at("received_bytes_per_step").value() / 512;
    EXPECT_GE(readings, 1.0) << "at the end";
    EXPECT_LT(readings, 1e6) << "a counter that wraps grows all the same";
    EXPECT_EQ(readings, std::round(readings));
    EXPECT_EQ(values.at("sent_bytes_per_step"), 64 * readings);
    EXPECT_NEAR(values.at("received_bytes_per_s").value() * values.at("window_seconds").value(),
                512 * readings,
                1e-6);
    EXPECT_NEAR(values.at("sent_bytes_per_s").value() * values.at("window_seconds").value(),
                256 * readings,
                1e-6);
    EXPECT_GT(values.at("monitor_cpu_share").value(), 0.0);
  }
  EXPECT_GE(readings, 3.0) << "in between too";
  EXPECT_FALSE(probe->collect("synthetic/device").available);
}

TEST(NvmlPcie, SaysWhyItDoesNotMeasure) {
  const auto probe = make_probe("nvml_pcie");
  EXPECT_TRUE(probe->spec().counts_all_work) << "traffic has no step";
  EXPECT_THAT(open_probe(*probe, {{"library", "libdlbench-no-such-file.so"}}),
              testing::HasSubstr("no NVIDIA driver on this machine"));
  ::setenv("DLBENCH_FAKE_NO_PCIE", "1", 1);
  EXPECT_EQ(open_probe(*probe, {{"library", DLBENCH_FAKE_NVML}}),
            "the GPU or its driver does not count what PCIe moves");
  ::unsetenv("DLBENCH_FAKE_NO_PCIE");
}

}  // namespace
}  // namespace dlbench::probes
