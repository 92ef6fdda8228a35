// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Who else computes on a GPU: by lists that are written here, and by a fake NVML.
#include "probes/gpu/gpu_neighbours.h"

#include "probes/gpu/gpu_monitor.h"
#include "probes/gpu/gpu_recording.h"
#include "probes/gpu/nvml_library.h"
#include "probes/gpu_summary.h"
#include "probes/registry.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

/// DLBENCH_FAKE_PROCESSES while it lives: "4711:37,self:80".
class Processes {
 public:
  explicit Processes(const std::string& text) {
    ::setenv("DLBENCH_FAKE_PROCESSES", text.c_str(), 1);
  }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes() { ::unsetenv("DLBENCH_FAKE_PROCESSES"); }
};

std::optional<double> share_in(const ProbeValues& values) {
  for (const ProbeValue& value : values.values) {
    if (value.name == "foreign_busy_share") {
      return value.value;
    }
  }
  return -1.0;
}

TEST(GpuNeighbours, AreAllOthersBusiestFirst) {
  const GpuNeighbours found = neighbours_among({{.pid = 7, .busy_share = 0.1},
                                                {.pid = 42, .busy_share = 0.9},
                                                {.pid = 8, .busy_share = 0.3}},
                                               {.pid = 42});
  EXPECT_EQ(found.busy_share, 0.3);
  EXPECT_EQ(found.count, 2);
  EXPECT_THAT(found.pids, ElementsAre(8, 7));
  const GpuNeighbours alone = neighbours_among({{.pid = 42, .busy_share = 0.9}}, {.pid = 42});
  EXPECT_EQ(alone.count, 0);
  EXPECT_EQ(alone.busy_share, 0.0);
  EXPECT_EQ(neighbours_among({}, {.pid = 42}).count, 0);
}

// A container has numbers of its own, the driver those of the host.
TEST(GpuNeighbours, TheBusiestIsOursWhereNoneHasOurNumber) {
  EXPECT_EQ(neighbours_among({{.pid = 31337, .busy_share = 0.9}}, {.pid = 7}).count, 0);
  const GpuNeighbours found = neighbours_among(
      {{.pid = 31337, .busy_share = 0.2}, {.pid = 31338, .busy_share = 0.9}}, {.pid = 7});
  EXPECT_EQ(found.busy_share, 0.2);
  EXPECT_EQ(found.count, 1);
  EXPECT_THAT(found.pids, IsEmpty()) << "numbers of the host say nothing here";
}

TEST(GpuNeighbours, OtherRanksOnTheGpuAreNone) {
  const std::vector<GpuProcess> three = {
      {.pid = 7, .busy_share = 0.4}, {.pid = 8, .busy_share = 0.3}, {.pid = 9, .busy_share = 0.1}};
  EXPECT_EQ(neighbours_among(three, {.pid = 9, .count = 3}).count, 0);
  EXPECT_EQ(neighbours_among(three, {.pid = 9, .count = 4}).count, 0) << "one had nothing to do";
  const GpuNeighbours found = neighbours_among(three, {.pid = 9, .count = 2});
  EXPECT_EQ(found.busy_share, 0.3);
  EXPECT_THAT(found.pids, IsEmpty()) << "it is not known which one is a rank";
}

TEST(GpuNeighbours, AreWorthSayingAboveTheLimit) {
  EXPECT_EQ(neighbours_text({}), "");
  EXPECT_EQ(neighbours_text({.busy_share = 0.02, .pids = {7}, .count = 1}), "");
  EXPECT_EQ(
      neighbours_text({.busy_share = 0.37, .pids = {7}, .count = 1}),
      "another process computed on the same GPU (process 7), up to 37 % of the time (limit 2 %)");
  EXPECT_EQ(neighbours_text({.busy_share = 0.37, .count = 2}),
            "2 other processes computed on the same GPU, up to 37 % of the time (limit 2 %)");
  EXPECT_THAT(neighbours_text({.busy_share = 1.0, .pids = {1, 2, 3, 4, 5}, .count = 5}),
              HasSubstr("(process 1, 2, 3, 4, ...)"));
}

TEST(GpuNeighbours, NvmlTellsOfEachProcessOnce) {
  NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  ASSERT_NE(opened.sensors, nullptr);
  EXPECT_FALSE(opened.sensors->take_processes().has_value()) << "a driver that does not tell";
  {
    const Processes here("4711:37,4711:12,self:80,9:0");
    const std::optional<std::vector<GpuProcess>> found = opened.sensors->take_processes();
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(found->size(), 2U) << "one did not compute";
    EXPECT_EQ(neighbours_among(*found, {.pid = ::getpid()}).busy_share, 0.37);
  }
  const Processes nobody("");
  EXPECT_THAT(opened.sensors->take_processes(), Optional(IsEmpty()));
}

TEST(GpuNeighbours, NvmlMayKnowOfMoreThanThereIsRoomFor) {
  NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  ASSERT_NE(opened.sensors, nullptr);
  std::string many = "self:1";
  for (int pid = 1001; pid <= 1200; ++pid) {
    many += "," + std::to_string(pid) + ":5";
  }
  const Processes here(many);
  const std::optional<std::vector<GpuProcess>> found = opened.sensors->take_processes();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 201U);
}

TEST(GpuNeighbours, TheProbeTellsOfThoseOfItsWindows) {
  const auto probe = make_probe("nvml");
  ASSERT_EQ(open_probe(*probe, {{"library", DLBENCH_FAKE_NVML}}), "");
  probe->begin_trial("io");
  probe->end_trial();
  EXPECT_FALSE(share_in(probe->collect("io")).has_value());
  EXPECT_FALSE(probe->last_conditions().foreign_share.has_value());
  const auto window = [&](const std::string& processes) {
    const Processes here(processes);
    probe->begin_trial("full");
    probe->end_trial();
  };
  window("self:80");
  EXPECT_EQ(probe->last_conditions().foreign_share, 0.0);
  EXPECT_EQ(probe->last_conditions().neighbours, "");
  window("self:80,4711:37");
  EXPECT_EQ(probe->last_conditions().foreign_share, 0.37);
  EXPECT_THAT(probe->last_conditions().neighbours, HasSubstr("(process 4711), up to 37 %"));
  window("self:80");
  EXPECT_EQ(probe->last_conditions().neighbours, "") << "it has gone";
  EXPECT_EQ(share_in(probe->collect("full")), 0.37) << "the most of all windows";
}

TEST(GpuNeighbours, TheProbeTellsOfThemWithoutAWindow) {
  const auto probe = make_probe("nvml");
  ASSERT_EQ(open_probe(*probe, {{"library", DLBENCH_FAKE_NVML}, {"processes", "2"}}), "");
  const Processes here("self:80,4711:37,4712:50");
  const DeviceConditions seen = probe->conditions_now();
  EXPECT_EQ(seen.foreign_share, 0.37) << "4712 is the other rank, perhaps";
  EXPECT_EQ(seen.neighbours,
            "another process computed on the same GPU, up to 37 % of the time (limit 2 %)");
}

// What was there before the probe was opened, or before a window, is not of it.
TEST(GpuNeighbours, OfBeforeAreNotTold) {
  std::optional<Processes> here(std::in_place, "self:80,4711:37");
  NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  GpuMonitor monitor(std::move(opened.sensors), {.own = {.pid = ::getpid()}});
  here.reset();
  here.emplace("self:80");
  EXPECT_EQ(monitor.take_neighbours().value().count, 0);
  here.reset();
  here.emplace("self:80,4711:37");
  EXPECT_EQ(monitor.take_neighbours().value().count, 1);
}

// The driver's samples come late: without one of ours there is nothing to judge others by.
TEST(GpuNeighbours, AreNotToldWithoutASampleOfOurs) {
  std::optional<Processes> here(std::in_place, "31337:80");
  NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  GpuMonitor monitor(std::move(opened.sensors), {.own = {.pid = ::getpid()}});
  const auto told = [&](const char* processes) {
    here.reset();
    here.emplace(processes);
    return monitor.take_neighbours();
  };
  EXPECT_FALSE(told("").has_value());
  EXPECT_EQ(told("31337:80").value().count, 0) << "which may be ours, by another number";
  EXPECT_EQ(told("self:80,4711:37").value().busy_share, 0.37);
  EXPECT_FALSE(told("4711:37").has_value()) << "and no more";
  EXPECT_FALSE(told("").has_value());
  EXPECT_EQ(told("self:80,4711:37").value().busy_share, 0.37);
}

TEST(GpuNeighbours, EntriesThatNobodyWroteAreLeftOut) {
  NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  ASSERT_NE(opened.sensors, nullptr);
  {
    const Processes here("self:80,4711:3000000,4712:37@later");
    EXPECT_THAT(opened.sensors->take_processes(), Optional(testing::SizeIs(1)));
  }
  const Processes here("self:80,4713:37");
  EXPECT_THAT(opened.sensors->take_processes(), Optional(testing::SizeIs(2)))
      << "a time to come hides nothing";
}

TEST(GpuNeighbours, ASampleThatWasTakenIsNotTakenAgain) {
  NvmlSensors opened = open_nvml(DLBENCH_FAKE_NVML, "0");
  ASSERT_NE(opened.sensors, nullptr);
  {
    const Processes here("self:80,4711:37");
    EXPECT_THAT(opened.sensors->take_processes(), Optional(testing::SizeIs(2)));
  }
  const Processes here("self:80,4711:37@before");
  EXPECT_THAT(opened.sensors->take_processes(), Optional(testing::SizeIs(1)));
}

TEST(GpuNeighbours, ARecordingKeepsThem) {
  const tests::TemporaryFolder folder;
  const std::string file = folder.path() / "nvml.json";
  GpuRecording recording{.origin = "recorded"};
  recording.windows.resize(2);
  recording.windows[0].trial = "full";
  recording.windows[0].window.neighbours =
      GpuNeighbours{.busy_share = 0.37, .pids = {4711}, .count = 1};
  recording.windows[1].trial = "full";
  write_gpu_recording(file, recording);
  const GpuRecording again = read_gpu_recording(file);
  ASSERT_EQ(again.windows.size(), 2U);
  EXPECT_THAT(judge_window({}, again.windows[0].window).neighbours, HasSubstr("process 4711"));
  EXPECT_FALSE(judge_window({}, again.windows[1].window).foreign_share.has_value());
}

}  // namespace
}  // namespace dlbench::probes
