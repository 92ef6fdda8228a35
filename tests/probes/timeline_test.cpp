// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/timeline.h"

#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/trace.h"
#include "probes/gpu_tracks.h"
#include "probes/sink_fanout.h"
#include "tests/probes/temporary_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <nlohmann/json.hpp>

#include <barrier>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::probes {
namespace {

using core::trace::Category;
using core::trace::Region;
using nlohmann::json;

/// Installs a sink for the length of a test.
class Installed {
 public:
  explicit Installed(core::trace::Sink* sink) { core::trace::set_sink(sink); }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;
  ~Installed() { core::trace::set_sink(nullptr); }
};

json write_and_parse(const Timeline& timeline) {
  const TemporaryTree tree;
  const auto path = tree.root() / "trace.json";
  timeline.write(path, 3);
  std::ifstream stream(path);
  json parsed = json::parse(stream);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(tree.root()), {}), 1)
      << "the temporary file was left behind";
  return parsed;
}

std::vector<json> complete_events(const json& trace) {
  std::vector<json> events;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") {
      events.push_back(event);
    }
  }
  return events;
}

std::map<std::int64_t, std::string> thread_names(const json& trace) {
  std::map<std::int64_t, std::string> names;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") == "thread_name") {
      names[event.at("tid")] = event.at("args").at("name");
    }
  }
  return names;
}

/// Fails unless the events of each thread nest: an event ends before or with the one it began in.
void expect_nested(const std::vector<json>& events) {
  struct Span {
    double begin;
    double end;
  };
  std::map<std::int64_t, std::vector<Span>> stacks;
  for (const json& event : events) {
    const double begin = event.at("ts");
    const double end = begin + event.at("dur").get<double>();
    std::vector<Span>& stack = stacks[event.at("tid")];
    constexpr double kRoundingUs = 1e-6;
    while (!stack.empty() && stack.back().end <= begin + kRoundingUs &&
           !(stack.back().begin >= begin && stack.back().end >= end)) {
      stack.pop_back();
    }
    if (!stack.empty()) {
      EXPECT_GE(begin, stack.back().begin) << event;
      EXPECT_LE(end, stack.back().end + kRoundingUs) << event;
    }
    stack.push_back({begin, end});
  }
}

TEST(Timeline, WritesNestedCompleteEvents) {
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  const Installed installed(timeline.sink());
  core::trace::name_this_thread("main \"quoted\"\n");
  {
    const Region trial(Category::kTrial, "synthetic");
    for (int step = 0; step < 3; ++step) {
      const Region outer(Category::kStep, "step", step);
      const Region forward(Category::kPhase, "forward");
      const Region op(Category::kOp, "c1.conv1", 7);
    }
  }
  const json trace = write_and_parse(timeline);
  const auto events = complete_events(trace);
  ASSERT_EQ(events.size(), 10U);
  expect_nested(events);
  // Outer before inner, by start time.
  EXPECT_EQ(events[0].at("name"), "synthetic");
  EXPECT_EQ(events[1].at("name"), "step");
  EXPECT_EQ(events[1].at("args").at("id"), 0);
  EXPECT_EQ(events[2].at("name"), "forward");
  EXPECT_FALSE(events[2].contains("args"));
  EXPECT_EQ(events[3].at("cat"), "op");
  EXPECT_EQ(events[3].at("args").at("id"), 7);
  for (const json& event : events) {
    EXPECT_EQ(event.at("pid"), 3);
    EXPECT_GE(event.at("ts").get<double>(), 0.0);
    EXPECT_GE(event.at("dur").get<double>(), 0.0);
  }
  EXPECT_EQ(thread_names(trace).begin()->second, "main \"quoted\"\n");
  EXPECT_EQ(trace.at("otherData").at("dropped_events"), 0);
}

TEST(Timeline, TheNestingCheckCanFail) {
  const std::vector<json> crossing{{{"tid", 1}, {"ts", 0.0}, {"dur", 10.0}},
                                   {{"tid", 1}, {"ts", 5.0}, {"dur", 10.0}}};
  EXPECT_NONFATAL_FAILURE(expect_nested(crossing), "");
}

TEST(Timeline, KeepsNamesAfterTheirOwnerIsGone) {
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  const Installed installed(timeline.sink());
  {
    std::string name = "a name that is too long for a small string buffer";
    { const Region region(Category::kOp, name); }
    name.assign(name.size(), 'x');
  }
  EXPECT_EQ(complete_events(write_and_parse(timeline))[0].at("name"),
            "a name that is too long for a small string buffer");
}

TEST(Timeline, ThreadsRecordAtTheSameTimeAndNothingIsLost) {
  constexpr int kThreads = 4;
  constexpr int kRegions = 10'000;  // more than one chunk each
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  const Installed installed(timeline.sink());
  std::barrier start(kThreads + 1);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([thread, &start] {
      core::trace::name_this_thread("loader worker " + std::to_string(thread));
      start.arrive_and_wait();
      for (int region = 0; region < kRegions / 2; ++region) {
        const Region outer(Category::kLoader, "decode", region);
        const Region inner(Category::kLoader, "resize", region);
      }
    });
  }
  start.arrive_and_wait();
  // Writing while others record gives a valid file with what is there.
  expect_nested(complete_events(write_and_parse(timeline)));
  threads.clear();
  EXPECT_EQ(timeline.recorded_events(), kThreads * kRegions);
  EXPECT_EQ(timeline.dropped_events(), 0);
  const json trace = write_and_parse(timeline);
  const auto events = complete_events(trace);
  EXPECT_EQ(events.size(), std::size_t{kThreads} * kRegions);
  expect_nested(events);
  EXPECT_EQ(thread_names(trace).size(), std::size_t{kThreads});
}

TEST(Timeline, ARestartedWorkerContinuesItsTrack) {
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  const Installed installed(timeline.sink());
  for (int restart = 0; restart < 3; ++restart) {
    std::jthread([] {
      core::trace::name_this_thread("loader worker 0");
      const Region region(Category::kLoader, "read");
    }).join();
  }
  const json trace = write_and_parse(timeline);
  EXPECT_EQ(complete_events(trace).size(), 3U);
  EXPECT_EQ(thread_names(trace).size(), 1U);
}

TEST(Timeline, AThreadNamedBeforeItBeginsHasItsName) {
  std::barrier both(2);
  std::jthread early([&both] {
    core::trace::name_this_thread("communication");
    both.arrive_and_wait();  // named
    both.arrive_and_wait();  // the timeline is there
    const Region region(Category::kComm, "all_reduce");
  });
  both.arrive_and_wait();
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  const Installed installed(timeline.sink());
  both.arrive_and_wait();
  early.join();
  const auto names = thread_names(write_and_parse(timeline));
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ(names.begin()->second, "communication");
}

TEST(Timeline, TwoLivingThreadsOfOneNameKeepTwoTracks) {
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  const Installed installed(timeline.sink());
  std::barrier both(2);
  const auto work = [&both] {
    core::trace::name_this_thread("worker");
    const Region region(Category::kLoader, "read");
    both.arrive_and_wait();
  };
  {
    const std::jthread first(work);
    const std::jthread second(work);
  }
  EXPECT_EQ(thread_names(write_and_parse(timeline)).size(), 2U);
}

TEST(Timeline, CountsWhatItCannotKeep) {
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  core::trace::Sink& sink = *timeline.sink();
  const core::trace::RegionInfo region{Category::kOp, "deep", 1};
  constexpr int kDepth = 70;  // six more than the timeline keeps open
  for (int level = 0; level < kDepth; ++level) {
    sink.begin(region);
  }
  for (int level = 0; level < kDepth; ++level) {
    sink.end(region);
  }
  sink.end(region);  // never begun
  EXPECT_EQ(timeline.recorded_events(), 64);
  EXPECT_EQ(timeline.dropped_events(), 7);
  EXPECT_EQ(write_and_parse(timeline).at("otherData").at("dropped_events"), 7);
}

TEST(Timeline, KeepsNoMoreEventsOfAThreadThanItMay) {
  Timeline timeline(3);
  ASSERT_EQ(timeline.open({}), "");
  core::trace::Sink& sink = *timeline.sink();
  const core::trace::RegionInfo region{Category::kOp, "op", 1};
  for (int event = 0; event < 5; ++event) {
    sink.begin(region);
    sink.end(region);
  }
  EXPECT_EQ(timeline.recorded_events(), 3);
  EXPECT_EQ(timeline.dropped_events(), 2);
  EXPECT_EQ(complete_events(write_and_parse(timeline)).size(), 3U);
}

TEST(Timeline, AThreadMayOutliveTheTimeline) {
  auto timeline = std::make_unique<Timeline>();
  ASSERT_EQ(timeline->open({}), "");
  std::barrier step(2);
  std::jthread thread([&] {
    core::trace::Sink* sink = timeline->sink();
    const core::trace::RegionInfo region{Category::kOp, "op", 1};
    sink->begin(region);
    sink->end(region);
    step.arrive_and_wait();
    step.arrive_and_wait();  // the timeline is gone when this thread ends
  });
  step.arrive_and_wait();
  timeline.reset();
  step.arrive_and_wait();
}

TEST(Timeline, AFileThatCannotBeWrittenIsAnError) {
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  try {
    timeline.write("/nonexistent_folder/trace.json");
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kFile);
    EXPECT_THAT(error.what(), testing::HasSubstr("/nonexistent_folder/trace.json"));
  }
}

TEST(Timeline, ADiskThatIsFullIsAnError) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full here";
  }
  const TemporaryTree tree;
  const auto path = tree.root() / "trace.json";
  std::filesystem::create_symlink("/dev/full", path);
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  EXPECT_THROW(timeline.write(path), core::Error);
  EXPECT_TRUE(std::filesystem::is_symlink(path)) << "what leads to a device is not replaced";
}

TEST(Timeline, FollowsALinkToAFile) {
  const TemporaryTree tree;
  std::filesystem::create_symlink("real.json", tree.root() / "trace.json");
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  timeline.write(tree.root() / "trace.json");
  EXPECT_TRUE(std::filesystem::is_symlink(tree.root() / "trace.json"));
  std::ifstream stream(tree.root() / "real.json");
  EXPECT_TRUE(json::parse(stream).contains("traceEvents"));
}

/// Writes down its calls.
class Recording final : public core::trace::Sink {
 public:
  Recording(char label, std::string& log) : label_(label), log_(log) {}
  void begin(const core::trace::RegionInfo& /*region*/) noexcept override { note('b'); }
  void end(const core::trace::RegionInfo& /*region*/) noexcept override { note('e'); }
  void name_thread(std::string_view /*name*/) noexcept override { note('n'); }
  void map_captured_node(std::uint64_t /*node*/, std::int64_t /*op*/) noexcept override {
    note('m');
  }

 private:
  void note(char call) { log_ += std::string{call, label_, ' '}; }
  char label_;
  std::string& log_;
};

TEST(SinkFanout, PassesEverythingOnAndEndsInReverse) {
  std::string log;
  Recording first('1', log);
  Recording second('2', log);
  SinkFanout fanout({&first, &second});
  const Installed installed(&fanout);
  core::trace::name_this_thread("main");
  { const Region region(Category::kStep, "step"); }
  fanout.map_captured_node(1, 2);
  EXPECT_EQ(log, "n1 n2 b1 b2 e2 e1 m1 m2 ");
}

// Device records carry times of the steady clock, as the host's regions do.
TEST(Timeline, ShowsTheStreamsOfADeviceOnTheHostsClock) {
  Timeline timeline;
  ASSERT_EQ(timeline.open({}), "");
  GpuTrace gpu;
  {
    const Installed installed(timeline.sink());
    const Region step(Category::kStep, "step", 0);
    const std::int64_t begin_ns = core::steady_ns();
    const std::int64_t end_ns = core::steady_ns() + 1;
    gpu.activities = {{GpuActivityKind::kKernel, "conv", begin_ns, end_ns, 7, 0, 1, 0},
                      {GpuActivityKind::kCopy, "host_to_device", begin_ns, end_ns, 9, 64, 2, 0},
                      {GpuActivityKind::kApiCall, "cudaLaunchKernel", begin_ns, end_ns, -1, 0, 1},
                      {GpuActivityKind::kSynchronization, "event", begin_ns, end_ns},
                      {GpuActivityKind::kOverhead, "buffer_flush", begin_ns, end_ns}};
    gpu.correlation_op = {{1, 5}, {2, 6}};
    gpu.ops[5] = {"c1/\"conv\"", "forward"};
    while (core::steady_ns() <= end_ns) {
    }
  }
  const TemporaryTree tree;
  timeline.write(tree.root() / "trace.json", 0, {gpu_tracks(gpu), {}});
  std::ifstream stream(tree.root() / "trace.json");
  const json trace = json::parse(stream);
  const auto names = thread_names(trace);
  std::map<std::string, json> events;
  for (const json& event : complete_events(trace)) {
    events[event.at("name")] = event;
  }
  ASSERT_EQ(events.size(), 5U) << "host calls are not drawn";
  EXPECT_EQ(names.at(events.at("conv").at("tid")), "GPU stream 7");
  EXPECT_EQ(names.at(events.at("host_to_device").at("tid")), "GPU stream 9");
  EXPECT_EQ(names.at(events.at("buffer_flush").at("tid")), "GPU overhead");
  EXPECT_EQ(events.at("conv").at("cat"), "kernel");
  EXPECT_EQ(names.at(events.at("event").at("tid")), "GPU synchronization");
  EXPECT_EQ(events.at("event").at("cat"), "synchronization");
  EXPECT_EQ(events.at("conv").at("args"),
            (json{{"id", 5}, {"op", "c1/\"conv\""}, {"phase", "forward"}}));
  EXPECT_EQ(events.at("host_to_device").at("args"), (json{{"id", 6}, {"bytes", 64}}));
  EXPECT_EQ(events.at("step").at("args"), (json{{"id", 0}}));
  EXPECT_FALSE(events.at("buffer_flush").contains("args"));
  const json& step = events.at("step");
  const json& kernel = events.at("conv");
  EXPECT_GE(kernel.at("ts").get<double>(), step.at("ts").get<double>());
  EXPECT_LE(kernel.at("ts").get<double>() + kernel.at("dur").get<double>(),
            step.at("ts").get<double>() + step.at("dur").get<double>());
}

/// Keeps what it is told of captured nodes.
class NodeListener final : public core::trace::Sink {
 public:
  void begin(const core::trace::RegionInfo& /*region*/) noexcept override {}
  void end(const core::trace::RegionInfo& /*region*/) noexcept override {}
  void name_thread(std::string_view /*name*/) noexcept override {}
  void map_captured_node(std::uint64_t captured_node, std::int64_t op_id) noexcept override {
    ops[captured_node] = op_id;
  }
  std::map<std::uint64_t, std::int64_t> ops;
};

TEST(TraceSink, LearnsOfTheGraphThatWasCapturedBeforeItListened) {
  core::trace::map_captured_node(0, 7);
  core::trace::map_captured_node(1, 8);
  core::trace::map_captured_node(0, 20);  // another graph
  core::trace::map_captured_node(1, 21);
  NodeListener listener;
  SinkFanout fanout({&listener});
  const Installed installed(&fanout);
  EXPECT_EQ(listener.ops, (std::map<std::uint64_t, std::int64_t>{{0, 20}, {1, 21}}));
  core::trace::map_captured_node(2, 22);
  EXPECT_EQ(listener.ops.at(2), 22);
}

}  // namespace
}  // namespace dlbench::probes
