// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU monitor on pretended sensors, NVML's reader on a pretended NVML, and the judgement of a
// recording whose answers are known by construction.
#include "probes/gpu_monitor.h"

#include "engine/core/error.h"
#include "probes/gpu_recording.h"
#include "probes/gpu_summary.h"
#include "probes/nvml_library.h"
#include "probes/registry.h"

#include <gmock/gmock.h>

#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::UnorderedElementsAre;

constexpr const char* kRecording = DLBENCH_TEST_DATA "/recorded/nvml_synthetic.json";

/// Counts its reads in the energy counter, and has one event that is older than any window.
class CountingSensors final : public GpuSensors {
 public:
  [[nodiscard]] const GpuIdentity& identity() const override { return identity_; }
  [[nodiscard]] GpuSample read() noexcept override {
    ++reads_;
    return {.time_ns = reads_, .energy_joules = static_cast<double>(reads_)};
  }
  [[nodiscard]] std::vector<GpuEvent> take_events() noexcept override {
    return std::exchange(events_, {});
  }

 private:
  GpuIdentity identity_{.name = "Pretended GPU"};
  std::int64_t reads_ = 0;
  std::vector<GpuEvent> events_{{.time_ns = 0, .fault = GpuFault::kXid, .code = 13}};
};

TEST(GpuMonitor, SamplesAWindowAtBothEndsAndForgetsEarlierEvents) {
  GpuMonitor monitor(std::make_unique<CountingSensors>(), std::chrono::hours(1));
  monitor.begin_window();
  const GpuWindow first = monitor.end_window();
  ASSERT_EQ(first.samples.size(), 2U);
  EXPECT_LT(first.samples.front().time_ns, first.samples.back().time_ns);
  EXPECT_LE(first.begin_ns, first.end_ns);
  EXPECT_TRUE(first.events.empty());
  monitor.begin_window();
  EXPECT_EQ(monitor.end_window().samples.size(), 2U);
}

TEST(GpuMonitor, LooksBetweenTheEndsFromItsOwnThread) {
  GpuMonitor monitor(std::make_unique<CountingSensors>(), std::chrono::microseconds(100));
  GpuWindow window;
  while (window.samples.size() < 5) {  // a window long enough for three looks comes soon
    monitor.begin_window();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    window = monitor.end_window();
  }
  EXPECT_GT(window.monitor_cpu_s, 0.0);
}

/// Sensors that take two milliseconds of the processor for each look.
class CostlySensors final : public GpuSensors {
 public:
  [[nodiscard]] const GpuIdentity& identity() const override { return identity_; }
  [[nodiscard]] GpuSample read() noexcept override {
    const std::clock_t begin = std::clock();
    while (std::clock() - begin < CLOCKS_PER_SEC / 500) {
    }
    return {};
  }
  [[nodiscard]] std::vector<GpuEvent> take_events() noexcept override { return {}; }

 private:
  GpuIdentity identity_;
};

TEST(GpuMonitor, CountsWhatTheLooksAtBothEndsCostTheCaller) {
  GpuMonitor monitor(std::make_unique<CostlySensors>(), std::chrono::hours(1));
  monitor.begin_window();
  EXPECT_GT(monitor.end_window().monitor_cpu_s, 0.003);
}

TEST(GpuRecording, ReadingGivesBackWhatWasWritten) {
  const GpuRecording recording = read_gpu_recording(kRecording);
  EXPECT_THAT(recording.origin, HasSubstr("not recorded from a GPU"));
  const std::filesystem::path copy = testing::TempDir() + "/dlbench_gpu_recording.json";
  write_gpu_recording(copy, recording);
  const GpuRecording again = read_gpu_recording(copy);
  std::filesystem::remove(copy);
  ASSERT_EQ(again.windows.size(), 3U);
  const GpuSample& sample = again.windows[1].window.samples[1];
  EXPECT_EQ(sample.clock_reasons, 64U);
  EXPECT_EQ(sample.energy_joules, 5300.0);
  EXPECT_FALSE(sample.memory_temperature_celsius.has_value());
  EXPECT_EQ(again.windows[2].window.events.front().code, 79);
  EXPECT_THROW((void)read_gpu_recording(copy), core::Error);
}

TEST(GpuSummary, NamesFaultsAndThrottlingOfAWindow) {
  const GpuRecording recording = read_gpu_recording(kRecording);
  const DeviceConditions calm = judge_window(recording.gpu, recording.windows[0].window);
  EXPECT_EQ(calm.fault, "");
  EXPECT_FALSE(calm.throttled) << "the power cap is no fault of a GPU that is well used";
  EXPECT_THAT(calm.throttle_reasons, ElementsAre("power_cap"));
  EXPECT_EQ(calm.sm_clock_mhz, 1400.0);
  const DeviceConditions hot = judge_window(recording.gpu, recording.windows[1].window);
  EXPECT_EQ(hot.fault, "") << "a corrected bit is counted, not a fault";
  EXPECT_TRUE(hot.throttled);
  EXPECT_THAT(hot.throttle_reasons, ElementsAre("power_cap", "hardware_thermal"));
  EXPECT_EQ(judge_window(recording.gpu, recording.windows[2].window).fault,
            "Synthetic GPU (00000000:41:00.0) reported Xid 79 during a measurement: the kernel log "
            "(dmesg) says more");
}

TEST(Nvml, SaysInOneSentenceWhyItDoesNotMeasure) {
  EXPECT_EQ(open_nvml("libdlbench-no-such-file.so", "0").reason,
            "no NVIDIA driver on this machine: libdlbench-no-such-file.so cannot be loaded");
  EXPECT_EQ(open_nvml("libm.so.6", "0").reason, "libm.so.6 is no NVML: it has no nvmlInit_v2");
  EXPECT_EQ(open_nvml(DLBENCH_PRETENDED_NVML, "7").reason,
            "NVML knows no device '7': Not Found (NVML error 6)");
}

TEST(Nvml, ReadsWhatTheDriverTells) {
  const NvmlSensors opened = open_nvml(DLBENCH_PRETENDED_NVML, "0");
  ASSERT_EQ(opened.reason, "");
  const GpuIdentity& gpu = opened.sensors->identity();
  EXPECT_EQ(gpu.name, "Pretended GPU");
  EXPECT_EQ(gpu.address, "00000000:41:00.0");
  EXPECT_EQ(gpu.power_limit_watt, 700.0);
  EXPECT_EQ(gpu.memory_bytes, 1000);
  const GpuSample first = opened.sensors->read();
  const GpuSample second = opened.sensors->read();
  EXPECT_EQ(first.power_watt, 250.5);
  EXPECT_FALSE(first.power_average_watt.has_value()) << "the field says: not supported";
  EXPECT_EQ(first.busy_share, 0.75);
  EXPECT_EQ(first.memory_used_bytes, 400);
  EXPECT_THAT((std::vector{first.temperature_celsius, second.temperature_celsius}),
              UnorderedElementsAre(Optional(61.0), Optional(62.0)))
      << "where the newer function fails the older one answers";
  EXPECT_EQ(first.sm_clock_mhz, 1755.0);
  EXPECT_EQ(first.memory_clock_mhz, 2619.0);
  EXPECT_EQ(first.clock_reasons, 4U);
  EXPECT_EQ(*second.energy_joules - *first.energy_joules, 0.5);
  EXPECT_EQ(*second.pcie_received_bytes - *first.pcie_received_bytes, 512)
      << "the 32-bit counter wraps in between";
  const std::vector<GpuEvent> events = opened.sensors->take_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events.front().fault, GpuFault::kXid);
  EXPECT_EQ(events.front().code, 48);
}

TEST(Nvml, ListsTheGpusOfTheMachine) {
  const std::vector<GpuIdentity> gpus = list_gpus(DLBENCH_PRETENDED_NVML);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].name, "Pretended GPU");
  EXPECT_EQ(gpus[0].uuid, "GPU-1");
  EXPECT_EQ(gpus[0].driver, "0.1");
  EXPECT_EQ(gpus[0].compute_capability, "9.0");
  EXPECT_EQ(gpus[0].memory_bytes, 1000);
  EXPECT_EQ(gpus[1].name, "") << "the driver does not hand out the second one";
  EXPECT_THAT(list_gpus("libdlbench-no-such-file.so"), ElementsAre());
}

TEST(Nvml, TheProbeMeasuresTheWindowsOfATrial) {
  const auto probe = make_probe("nvml");
  ASSERT_EQ(open_probe(*probe, {{"library", DLBENCH_PRETENDED_NVML}}), "");
  probe->begin_trial("full");
  probe->end_trial();
  const ProbeValues values = probe->collect("full");
  ASSERT_EQ(values.values.size(), probe->spec().values.size());
  EXPECT_EQ(values.values.front().name, "energy_joules");
  EXPECT_EQ(values.values.front().value, 0.5);
  EXPECT_FALSE(probe->collect("io").values.front().value.has_value());
  EXPECT_EQ(probe->last_conditions().fault, "") << "its Xid came before the window";
}

}  // namespace
}  // namespace dlbench::probes
