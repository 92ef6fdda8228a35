// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU monitor on fake sensors, and NVML's reader on a fake NVML.
#include "probes/gpu/gpu_monitor.h"

#include "engine/core/error.h"
#include "probes/gpu/gpu_recording.h"
#include "probes/gpu/nvml_library.h"
#include "probes/gpu_summary.h"
#include "probes/registry.h"
#include "tests/probes/gpu/value_of.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::UnorderedElementsAre;

constexpr const char* kRecording = DLBENCH_RECORDED "/nvml_synthetic.json";

/// Has one event that is older than any window, and counts what was read. Each reading takes of the
/// processor what `costs_us` says, on a clock that only readings move: so nothing here depends on
/// the machine.
class FakeSensors final : public GpuSensors {
 public:
  static double cpu_s() { return 1e-6 * static_cast<double>(spent_us_.load()); }

  explicit FakeSensors(std::map<Sensor, std::int64_t> costs_us = {})
      : costs_us_(std::move(costs_us)) {}

  [[nodiscard]] const GpuIdentity& identity() const override { return identity_; }
  void read(Sensor sensor, GpuSample& sample) noexcept override {
    spend(sensor);
    switch (sensor) {
      case Sensor::kPower:
        sample.power_watt = 300.0;
        break;
      case Sensor::kClocks:
        sample.sm_clock_mhz = 1700.0;
        sample.clock_reasons = 4;
        break;
      case Sensor::kMemory:
        sample.memory_used_bytes = 1;
        break;
      case Sensor::kEnergy:
        sample.energy_joules = 1.0;
        break;
      case Sensor::kPcie:
        sample.pcie_sent_bytes = 1;
        break;
      case Sensor::kLoad:
        sample.busy_share = 1.0;
        break;
      case Sensor::kFaults:
        break;
    }
  }
  [[nodiscard]] std::vector<GpuFault> watched_faults() const override { return {}; }
  [[nodiscard]] std::vector<GpuEvent> take_events() noexcept override {
    spend(Sensor::kFaults);
    return std::exchange(events_, {});
  }
  [[nodiscard]] std::optional<std::vector<GpuProcess>> take_processes() noexcept override {
    return std::nullopt;
  }

 private:
  void spend(Sensor sensor) noexcept {
    const auto cost = costs_us_.find(sensor);
    spent_us_ += cost == costs_us_.end() ? 0 : cost->second;
  }

  static inline std::atomic<std::int64_t> spent_us_{0};
  std::map<Sensor, std::int64_t> costs_us_;
  GpuIdentity identity_{.name = "Fake GPU"};
  std::vector<GpuEvent> events_{{.time_ns = 0, .fault = GpuFault::kXid, .code = 13}};
};

GpuMonitorOptions looking_every(std::chrono::nanoseconds period) {
  return {.period = period, .cpu_s = FakeSensors::cpu_s};
}

TEST(GpuMonitor, SamplesAWindowAtBothEndsAndTellsOfEventsSinceTheOneBefore) {
  GpuMonitor monitor(std::make_unique<FakeSensors>(), looking_every(std::chrono::hours(1)));
  monitor.begin_window();
  const GpuWindow first = monitor.end_window();
  ASSERT_EQ(first.samples.size(), 2U);
  EXPECT_LT(first.samples.front().time_ns, first.samples.back().time_ns);
  EXPECT_LE(first.begin_ns, first.end_ns);
  EXPECT_EQ(first.events.size(), 1U) << "of warming up";
  EXPECT_EQ(monitor.sums().samples(), 2);
  monitor.begin_window();
  const GpuWindow second = monitor.end_window();
  EXPECT_EQ(second.samples.size(), 2U);
  EXPECT_TRUE(second.events.empty());
}

TEST(GpuMonitor, EventsBetweenWindowsAreToldOnce) {
  GpuMonitor monitor(std::make_unique<FakeSensors>(), looking_every(std::chrono::hours(1)));
  const std::vector<GpuEvent> events = monitor.take_events();
  const DeviceFault of_application = first_fault({.name = "Fake GPU"}, events);
  EXPECT_THAT(of_application.possible_cause, HasSubstr("Xid 13"));
  EXPECT_EQ(of_application.fault, "") << "ours or another's";
  const DeviceFault both = first_fault({}, {{.code = 31}, {.code = 79}});
  EXPECT_THAT(both.possible_cause, HasSubstr("Xid 31"));
  EXPECT_THAT(both.fault, HasSubstr("Xid 79"));
  for (const std::int64_t xid : {63, 92, 94, 109}) {
    const DeviceFault of_one = first_fault({}, {{.code = xid}});
    EXPECT_EQ(of_one.fault, "") << xid;
    EXPECT_THAT(of_one.possible_cause, HasSubstr("Xid " + std::to_string(xid))) << xid;
  }
  for (const std::int64_t xid : {48, 64, 74, 79, 95, 119}) {
    EXPECT_THAT(first_fault({}, {{.code = 63}, {.code = xid}}).fault,
                HasSubstr("Xid " + std::to_string(xid)));
  }
  EXPECT_THAT(first_fault({}, {{.code = 63}, {.code = 31}}).possible_cause, HasSubstr("Xid 31"))
      << "a row that is to be replaced fails no call";
  EXPECT_EQ(first_fault({}, {}).possible_cause, "");
  const DeviceFault corrected = first_fault({}, {{.fault = GpuFault::kEccCorrected}});
  EXPECT_EQ(corrected.fault + corrected.possible_cause, "");
  monitor.begin_window();
  EXPECT_TRUE(monitor.end_window().events.empty());
}

/// Windows of growing length until one has so many samples, or for half a minute.
GpuWindow window_with_samples(GpuMonitor& monitor, std::int64_t samples) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  GpuWindow window;
  for (std::chrono::milliseconds length{5};;
       length = std::min(2 * length, std::chrono::milliseconds(1000))) {
    monitor.begin_window();
    std::this_thread::sleep_for(length);
    window = monitor.end_window();
    if (monitor.sums().samples() >= samples || std::chrono::steady_clock::now() > patience) {
      return window;
    }
  }
}

TEST(GpuMonitor, SamplesBetweenTheEndsFromItsOwnThread) {
  GpuMonitor monitor(std::make_unique<FakeSensors>(), {.period = std::chrono::microseconds(100)});
  const GpuWindow window = window_with_samples(monitor, 5);
  ASSERT_GE(window.samples.size(), 5U);
  EXPECT_GT(window.monitor_cpu_s, 0.0) << "by the thread's own clock";
  EXPECT_EQ(monitor.sums().of(GpuValue::kPower).max, 300.0);
}

TEST(GpuMonitor, KeepsSumsWhereNobodyWantsTheSamples) {
  GpuMonitor monitor(std::make_unique<FakeSensors>(),
                     {.period = std::chrono::microseconds(100), .keeps_samples = false});
  const GpuWindow window = window_with_samples(monitor, 5);
  EXPECT_TRUE(window.samples.empty());
  EXPECT_GE(monitor.sums().samples(), 5);
  EXPECT_GT(monitor.sums().of(GpuValue::kPower).integral, 0.0);
}

TEST(GpuMonitor, CountsWhatEverySampleCosts) {
  GpuMonitor monitor(
      std::make_unique<FakeSensors>(std::map<Sensor, std::int64_t>{
          {Sensor::kPower, 10}, {Sensor::kClocks, 5}, {Sensor::kFaults, 3}, {Sensor::kEnergy, 2}}),
      looking_every(std::chrono::hours(1)));
  monitor.begin_window();
  EXPECT_NEAR(monitor.end_window().monitor_cpu_s, 1e-6 * (2 + 10 + 5 + 3), 1e-12)
      << "the counter at the first end, the others at the last";
}

/// A nanosecond further at each look at it; each thread has its own.
double ticking_cpu_s() {
  thread_local std::int64_t ticks = 0;
  return 1e-9 * static_cast<double>(++ticks);
}

TEST(GpuMonitor, CountsWhatIsBesideTheReadingsToo) {
  GpuMonitor monitor(std::make_unique<FakeSensors>(),
                     {.period = std::chrono::hours(1), .cpu_s = ticking_cpu_s});
  monitor.begin_window();
  EXPECT_NEAR(monitor.end_window().monitor_cpu_s, 1e-9 * (1 + 1 + 1 + 5 + 1), 1e-13)
      << "getting ready, a reading, the rest of that sample; five readings, the rest of theirs";
}

TEST(GpuMonitor, DoesNotReadWhatIsTooDear) {
  GpuMonitor monitor(
      std::make_unique<FakeSensors>(std::map<Sensor, std::int64_t>{{Sensor::kEnergy, 4100}}),
      looking_every(std::chrono::hours(1)));
  monitor.begin_window();
  const GpuWindow window = monitor.end_window();
  EXPECT_EQ(window.monitor_cpu_s, 0.0);
  for (const GpuSample& sample : window.samples) {
    EXPECT_FALSE(sample.energy_joules.has_value());
    EXPECT_FALSE(sample.pcie_sent_bytes.has_value()) << "never beside timed steps";
  }
  EXPECT_EQ(window.samples.back().busy_share, 1.0);
}

TEST(GpuRecording, ReadingGivesBackWhatWasWritten) {
  const GpuRecording recording = read_gpu_recording(kRecording);
  EXPECT_THAT(recording.origin, HasSubstr("not recorded from a GPU"));
  const tests::TemporaryFolder folder;
  const std::filesystem::path copy = folder.path() / "recording.json";
  write_gpu_recording(copy, recording);
  const GpuRecording again = read_gpu_recording(copy);
  std::filesystem::remove(copy);
  ASSERT_EQ(again.windows.size(), 3U);
  const GpuSample& sample = again.windows[1].window.samples[1];
  EXPECT_EQ(sample.clock_reasons, 4U);
  EXPECT_EQ(sample.energy_joules, 5049.6);
  EXPECT_FALSE(sample.memory_temperature_celsius.has_value());
  EXPECT_EQ(again.windows[2].window.events.front().code, 79);
  EXPECT_EQ(again.windows[2].window.watched_faults, recording.windows[2].window.watched_faults);
  EXPECT_THROW((void)read_gpu_recording(copy), core::Error);
}

TEST(Nvml, SaysInOneSentenceWhyItDoesNotMeasure) {
  EXPECT_EQ(open_nvml("libdlbench-no-such-file.so", "0").reason,
            "no NVIDIA driver on this machine: libdlbench-no-such-file.so cannot be loaded");
  EXPECT_EQ(open_nvml("libm.so.6", "0").reason, "libm.so.6 is no NVML: it has no nvmlInit_v2");
  EXPECT_EQ(open_nvml(DLBENCH_FAKE_NVML, "7").reason,
            "NVML knows no device '7': Not Found (NVML error 6)");
}

TEST(Nvml, DoesNotTellOfASliceWhatIsOfTheWholeGpu) {
  setenv("DLBENCH_FAKE_MIG", "1", 1);
  const NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  unsetenv("DLBENCH_FAKE_MIG");
  EXPECT_EQ(opened.sensors, nullptr);
  EXPECT_EQ(opened.reason,
            "the GPU is divided into slices (MIG): its sensors tell of all of them, other users' "
            "included");
}

TEST(Nvml, ReadsWhatTheDriverTells) {
  const NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  ASSERT_EQ(opened.reason, "");
  const GpuIdentity& gpu = opened.sensors->identity();
  EXPECT_EQ(gpu.name, "Fake GPU");
  EXPECT_EQ(gpu.address, "00000000:41:00.0");
  EXPECT_EQ(gpu.power_limit_watt, 700.0);
  EXPECT_EQ(gpu.max_sm_clock_mhz, 1980.0);
  EXPECT_EQ(gpu.memory_bytes, 1000);
  const auto take_sample = [&] {
    GpuSample sample;
    for (const Sensor sensor : kSensors) {
      opened.sensors->read(sensor, sample);
    }
    opened.sensors->read(Sensor::kPcie, sample);
    return sample;
  };
  const GpuSample first = take_sample();
  const GpuSample second = take_sample();
  EXPECT_EQ(first.power_watt, 250.5);
  EXPECT_FALSE(first.power_average_watt.has_value()) << "the field says: not supported";
  EXPECT_EQ(first.power_limit_watt, 700.0);
  EXPECT_EQ(first.busy_share, 0.75);
  EXPECT_EQ(first.memory_busy_share, 0.25);
  EXPECT_EQ(first.memory_used_bytes, 400);
  EXPECT_THAT((std::vector{first.temperature_celsius, second.temperature_celsius}),
              UnorderedElementsAre(Optional(61.0), Optional(62.0)))
      << "where the newer function fails the older one answers";
  EXPECT_EQ(first.sm_clock_mhz, 1755.0);
  EXPECT_EQ(first.memory_clock_mhz, 2619.0);
  EXPECT_EQ(first.clock_reasons, 4U);
  EXPECT_NEAR(*second.energy_joules - *first.energy_joules, 25.05, 1e-9);
  EXPECT_EQ(*second.pcie_received_bytes - *first.pcie_received_bytes, 512)
      << "the 32-bit counter wraps in between";
  EXPECT_EQ(*second.pcie_sent_bytes - *first.pcie_sent_bytes, 256)
      << "and so does one that calls itself wider";
  GpuSample clocks;
  opened.sensors->read(Sensor::kClocks, clocks);
  EXPECT_EQ(clocks.sm_clock_mhz, 1755.0);
  EXPECT_FALSE(clocks.power_watt.has_value()) << "a sensor reads its own";
  EXPECT_FALSE(clocks.energy_joules.has_value());
  ::setenv("DLBENCH_FAKE_XID", "48@2", 1);
  EXPECT_THAT(opened.sensors->take_events(), testing::IsEmpty());
  const std::vector<GpuEvent> events = opened.sensors->take_events();
  ::unsetenv("DLBENCH_FAKE_XID");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events.front().fault, GpuFault::kXid);
  EXPECT_EQ(events.front().code, 48);
  EXPECT_THAT(opened.sensors->watched_faults(), ElementsAre(GpuFault::kLost, GpuFault::kXid));
}

TEST(Nvml, WhereNoFieldTellsThePowerOfThisMomentAFunctionDoes) {
  const NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  ASSERT_NE(opened.sensors, nullptr);
  GpuSample sample;
  ::setenv("DLBENCH_FAKE_AVERAGE_POWER", "1", 1);
  opened.sensors->read(Sensor::kPower, sample);
  opened.sensors->read(Sensor::kLoad, sample);
  ::unsetenv("DLBENCH_FAKE_AVERAGE_POWER");
  EXPECT_EQ(sample.power_watt, 250.0);
  EXPECT_EQ(sample.power_average_watt, 240.0);
}

TEST(Nvml, ACounterOf64BitsWrapsAt32UntilItHasLeftThem) {
  const NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  ASSERT_NE(opened.sensors, nullptr);
  const auto sent = [&](const char* stands_at) {
    ::setenv("DLBENCH_FAKE_SENT", stands_at, 1);
    GpuSample sample;
    opened.sensors->read(Sensor::kPcie, sample);
    ::unsetenv("DLBENCH_FAKE_SENT");
    return sample.pcie_sent_bytes.value_or(-1);
  };
  EXPECT_EQ(sent("4294967040"), 0) << "256 bytes below 4 GiB";
  EXPECT_EQ(sent("256"), 512);
  EXPECT_EQ(sent("8589934848"), 512 + 8589934592) << "8 GiB at once are no wrap";
  EXPECT_EQ(sent("8589935104"), 768 + 8589934592);
}

// A second set of the process might take what the one that is asked waits for.
TEST(Nvml, HasNoEventsQueuedThatNobodyTakes) {
  const NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0", FaultEvents::kNotWatched);
  ASSERT_NE(opened.sensors, nullptr);
  EXPECT_THAT(opened.sensors->watched_faults(), ElementsAre(GpuFault::kLost));
}

TEST(Nvml, DoesNotAskForAnEnergyThatIsDear) {
  ::setenv("DLBENCH_FAKE_DEAR_ENERGY", "1", 1);
  NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  ASSERT_NE(opened.sensors, nullptr);
  GpuMonitor monitor(std::move(opened.sensors), {.period = std::chrono::hours(1)});
  monitor.begin_window();
  const GpuWindow window = monitor.end_window();
  ::unsetenv("DLBENCH_FAKE_DEAR_ENERGY");
  EXPECT_FALSE(window.samples.front().energy_joules.has_value());
  EXPECT_FALSE(window.samples.back().energy_joules.has_value());
  EXPECT_EQ(window.samples.back().power_watt, 250.5) << "whose integral is the energy then";
}

TEST(Nvml, ListsTheGpusOfTheMachine) {
  const std::vector<GpuIdentity> gpus = list_gpus(DLBENCH_FAKE_NVML);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].name, "Fake GPU");
  EXPECT_EQ(gpus[0].uuid, "GPU-1");
  EXPECT_EQ(gpus[0].driver, "0.1");
  EXPECT_EQ(gpus[0].compute_capability, "9.0");
  EXPECT_EQ(gpus[0].memory_bytes, 1000);
  EXPECT_EQ(gpus[1].name, "") << "the driver does not hand out the second one";
  EXPECT_THAT(list_gpus("libdlbench-no-such-file.so"), ElementsAre());
}

TEST(Nvml, TheProbeMeasuresTheWindowsOfATrial) {
  const auto probe = make_probe("nvml");
  ASSERT_EQ(open_probe(*probe, {{"library", DLBENCH_FAKE_NVML}}), "");
  probe->begin_trial("full");
  probe->end_trial();
  const ProbeValues values = probe->collect("full");
  ASSERT_EQ(values.values.size(), probe->spec().values.size());
  EXPECT_EQ(values.values.front().name, "energy_joules");
  EXPECT_FALSE(values.values.front().value.has_value()) << "one change of the counter is no rate";
  EXPECT_THAT(values.values.front().reason, HasSubstr("changed less than five times"));
  EXPECT_NEAR(number(values.values, "power_mean_watt").value(), 250.5, 1e-9)
      << "an integral over a time that differs from run to run";
  EXPECT_FALSE(probe->collect("io").values.front().value.has_value());
  EXPECT_EQ(probe->last_conditions().reported.fault, "") << "its Xid came before the window";
}

TEST(Nvml, TheProbeSaysHowTheGpuFaresWithoutAWindow) {
  const auto probe = make_probe("nvml");
  EXPECT_FALSE(probe->conditions_now().sm_clock_mhz.has_value()) << "it is not open";
  ASSERT_EQ(open_probe(*probe, {{"library", DLBENCH_FAKE_NVML}}), "");
  const DeviceConditions calm = probe->conditions_now();
  EXPECT_EQ(calm.sm_clock_mhz, 1755.0);
  EXPECT_THAT(calm.throttle_reasons, ElementsAre("power_cap"));
  EXPECT_FALSE(calm.throttled);
  ::setenv("DLBENCH_FAKE_REASONS", "64", 1);
  const DeviceConditions hot = probe->conditions_now();
  ::setenv("DLBENCH_FAKE_REASONS", "65", 1);
  const DeviceConditions idle = probe->conditions_now();
  ::unsetenv("DLBENCH_FAKE_REASONS");
  EXPECT_THAT(hot.throttle_reasons, ElementsAre("hardware_thermal"));
  EXPECT_TRUE(hot.throttled);
  EXPECT_FALSE(idle.throttled) << "and idle, which says nothing of its work";
}

}  // namespace
}  // namespace dlbench::probes
