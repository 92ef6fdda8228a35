// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probe cupti on a fake CUPTI: which window a record belongs to, and when there is none.
#include "engine/core/clock.h"
#include "engine/core/plugin_part.h"
#include "probes/registry.h"
#include "tests/probes/cupti/fake_cupti.h"
#include "tests/probes/cupti/fake_driver.h"

#include <cupti.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace dlbench::probes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

/// What the plug-in adds to the list of probes is added here, once.
std::unique_ptr<Probe> make_cupti() {
  if (!std::ranges::count(probe_names(), "cupti")) {
    core::PluginPart::add_all();
  }
  return make_probe("cupti");
}

class ActivityProbeTest : public testing::Test {
 protected:
  ActivityProbeTest() : probe_(make_cupti()) {
    cupti_ = {};
    driver_ = {};
    EXPECT_EQ(open_probe(*probe_, {}), "");
  }

  void begin() { probe_->begin_trial("synthetic/device"); }

  /// One step, in which the device runs `kernels` kernels of a microsecond.
  void step(int kernels) {
    const core::trace::RegionInfo region{core::trace::Category::kStep, "step", 0};
    probe_->sink()->begin(region);
    for (int kernel = 0; kernel < kernels; ++kernel) {
      cupti_.waiting.push_back(kernel_now());
    }
    probe_->sink()->end(region);
  }

  const GpuTrace* end() {
    probe_->end_trial();
    return probe_->device_trace();
  }

  /// That ends now and is as long as the clock was coarse.
  static FakeKernel kernel_now() {
    const std::int64_t begin_ns = core::steady_ns();
    std::int64_t end_ns = begin_ns;
    while (end_ns < begin_ns + 1000) {
      end_ns = core::steady_ns();
    }
    return {.begin_ns = begin_ns, .end_ns = end_ns};
  }

  [[nodiscard]] std::string reason() const { return probe_->collect("synthetic/device").reason; }

  FakeCupti& cupti_ = FakeCupti::instance();
  FakeDriver& driver_ = FakeDriver::instance();
  std::unique_ptr<Probe> probe_;
};

TEST_F(ActivityProbeTest, WhatIsRecordedWhileRecordingEndsBelongsToItsWindow) {
  begin();
  step(2);
  cupti_.before_disabled.push_back(kernel_now());
  const GpuTrace* first = end();
  ASSERT_NE(first, nullptr) << reason();
  EXPECT_THAT(first->activities, SizeIs(3));
  EXPECT_EQ(cupti_.enabled_kinds, 0);
  EXPECT_THAT(cupti_.calls,
              ElementsAre("forced flush", "enable", "flush", "disable", "forced flush"));
  begin();
  step(1);
  const GpuTrace* second = end();
  ASSERT_NE(second, nullptr) << reason();
  EXPECT_THAT(second->activities, SizeIs(1));
}

TEST_F(ActivityProbeTest, OnlyWhatWasMangledIsDemangled) {
  begin();
  step(2);
  cupti_.waiting[0].name = "f";  // else it would be "float"
  cupti_.waiting[1].name = "_Z4copyPfPKf";
  const GpuTrace* trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  ASSERT_THAT(trace->activities, SizeIs(2));
  EXPECT_EQ(trace->activities[0].name, "f");
  EXPECT_EQ(trace->activities[1].name, "copy(float*, float const*)");
}

// A flush does not wait for the device; work on another stream may be on its way, and other threads
// may launch more until recording has ended.
TEST_F(ActivityProbeTest, TheDeviceIsWaitedForBeforeItsRecordsAreTaken) {
  driver_.has_context = true;
  driver_.synchronized = [&] {
    cupti_.calls.emplace_back("synchronize");
    cupti_.waiting.push_back(kernel_now());
  };
  begin();
  step(1);
  const GpuTrace* trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  EXPECT_THAT(trace->activities, SizeIs(3));
  EXPECT_THAT(cupti_.calls,
              ElementsAre("forced flush",
                          "enable",
                          "synchronize",
                          "flush",
                          "disable",
                          "synchronize",
                          "forced flush"));
}

TEST_F(ActivityProbeTest, WhatComesLateOfAnEarlierWindowGoesToNobody) {
  begin();
  step(1);
  ASSERT_NE(end(), nullptr);
  cupti_.waiting.push_back(kernel_now());
  cupti_.dropped = 5;
  begin();
  step(1);
  const GpuTrace* second = end();
  ASSERT_NE(second, nullptr) << reason();
  EXPECT_THAT(second->activities, SizeIs(1));
}

TEST_F(ActivityProbeTest, CountsWhatIsDroppedInItsWindow) {
  cupti_.dropped = 5;  // before
  begin();
  step(1);
  const GpuTrace* trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  EXPECT_EQ(trace->dropped, 0);
  begin();
  step(1);
  cupti_.dropped_at_end = 3;  // when no buffer comes back any more
  trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  EXPECT_EQ(trace->dropped, 3);
}

TEST_F(ActivityProbeTest, AsksForOneBufferForAllThreadsThatCuptiNeedNotZero) {
  begin();
  step(1);
  ASSERT_NE(end(), nullptr) << reason();
  EXPECT_THAT(cupti_.attributes_at_registration,
              ElementsAre(Pair(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1),
                          Pair(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 0)));
  cupti_.attribute_status = CUPTI_ERROR_INVALID_PARAMETER;
  begin();
  step(1);
  EXPECT_NE(end(), nullptr) << reason();
}

// As where there is no memory for its name.
TEST_F(ActivityProbeTest, ARegionThatCannotBeKeptIsDropped) {
  const std::string_view too_long("step", std::string().max_size() + 1);
  begin();
  step(1);
  probe_->sink()->begin({core::trace::Category::kTrial, too_long});
  const GpuTrace* trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  EXPECT_EQ(trace->dropped, 1);
  begin();
  step(1);
  trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  EXPECT_EQ(trace->dropped, 0) << "in the window before";
}

TEST_F(ActivityProbeTest, ARecordingWithoutWorkOfTheDeviceIsNoIdleDevice) {
  begin();
  step(0);
  step(0);
  EXPECT_EQ(end(), nullptr);
  EXPECT_EQ(reason(), "CUPTI recorded no work of the device in 2 steps");
  EXPECT_FALSE(probe_->collect("synthetic/device").available);
  begin();
  step(0);
  cupti_.waiting.push_back({});  // no time was taken
  EXPECT_EQ(end(), nullptr);
  EXPECT_EQ(reason(), "CUPTI recorded no work of the device in 1 steps, and dropped 1 records");
  begin();
  step(1);
  EXPECT_NE(end(), nullptr) << "the next window may be better";
}

// CUPTI's clock is the date's; what it took no time of is lost.
TEST_F(ActivityProbeTest, TimesAreMovedToTheHostsClock) {
  begin();
  const std::int64_t before_ns = core::steady_ns();
  step(2);
  const std::int64_t after_ns = core::steady_ns();
  cupti_.waiting.push_back({});  // no time was taken
  const GpuTrace* trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  EXPECT_EQ(trace->dropped, 1);
  ASSERT_THAT(trace->activities, SizeIs(2));
  constexpr std::int64_t kReadingErrorNs = 2'000'000;
  for (const GpuActivity& activity : trace->activities) {
    EXPECT_GE(activity.begin_ns, before_ns - kReadingErrorNs);
    EXPECT_LE(activity.end_ns, after_ns + kReadingErrorNs);
  }
}

TEST_F(ActivityProbeTest, ADateThatIsSetMeanwhileIsTheReason) {
  begin();
  step(1);
  cupti_.clock_ahead_ns += 5'000'000'000;
  EXPECT_EQ(end(), nullptr);
  EXPECT_THAT(reason(), HasSubstr("was set by 5.000 s"));
}

TEST_F(ActivityProbeTest, WithoutCuptiItDoesNotOpen) {
  cupti_.library.loader_error = "no such file";
  EXPECT_THAT(open_probe(*make_cupti(), {}), HasSubstr("CUPTI does not load: no such file"));
}

TEST_F(ActivityProbeTest, AnotherToolsProfilerIsTheReason) {
  cupti_.subscribe_status = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  begin();
  step(1);
  EXPECT_EQ(end(), nullptr);
  EXPECT_THAT(reason(), HasSubstr("another tool owns the profiler"));
  cupti_.subscribe_status = CUPTI_SUCCESS;
  begin();
  EXPECT_EQ(cupti_.subscribers, 1);
  step(1);
  EXPECT_NE(end(), nullptr) << reason();
  EXPECT_EQ(cupti_.subscribers, 0) << "others may have it between two windows";
}

// Of cooperative launches: CUPTI's known issues.
TEST_F(ActivityProbeTest, BeforeHopperNothingIsRecordedUnderMps) {
  driver_ = {.has_context = true, .shared_by_mps = true, .capability_major = 8};
  begin();
  step(1);
  EXPECT_EQ(end(), nullptr);
  EXPECT_THAT(reason(), HasSubstr("share this GPU by MPS"));
  EXPECT_TRUE(probe_->refused_for_good());
  EXPECT_EQ(cupti_.subscribers, 0);
  EXPECT_THAT(cupti_.calls, IsEmpty());
  for (const FakeDriver& records :
       {FakeDriver{.has_context = true, .shared_by_mps = true, .capability_major = 9},
        FakeDriver{.has_context = true, .shared_by_mps = false, .capability_major = 8}}) {
    driver_ = records;
    begin();
    step(1);
    EXPECT_NE(end(), nullptr) << reason();
  }
}

TEST_F(ActivityProbeTest, ARefusedFlushIsTheReason) {
  begin();
  step(1);
  cupti_.flush_status = CUPTI_ERROR_UNKNOWN;
  EXPECT_EQ(end(), nullptr);
  EXPECT_THAT(reason(), HasSubstr("cuptiActivityFlushAll"));
}

TEST_F(ActivityProbeTest, CountsTheNodesOfAGraphThatItCannotTie) {
  for (const std::uint64_t node : {0U, 1U, 2U}) {
    probe_->sink()->map_captured_node(node, 40 + static_cast<std::int64_t>(node));
  }
  begin();
  step(1);
  const auto nodes = [&](std::size_t count) {
    for (std::uint64_t node = 0; node < count; ++node) {
      FakeKernel kernel = kernel_now();
      kernel.graph_node = (std::uint64_t{9} << 32) | (node + 1);
      cupti_.before_disabled.push_back(kernel);
    }
  };
  nodes(2);
  const GpuTrace* trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  EXPECT_EQ(trace->graph_nodes.recorded, 2);
  EXPECT_EQ(trace->graph_nodes.captured, 3);
  EXPECT_THAT(trace->graph_nodes.untied_reason(), HasSubstr("2 nodes of a graph were recorded"));
  begin();
  step(1);
  nodes(3);
  trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  EXPECT_EQ(trace->graph_nodes.untied_reason(), "");
  EXPECT_EQ(trace->op_of(trace->activities.back()), 42);
  for (const std::uint64_t node : {0U, 1U}) {  // another capture, of another step
    probe_->sink()->map_captured_node(node, 50 + static_cast<std::int64_t>(node));
  }
  begin();
  step(1);
  nodes(2);
  trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  EXPECT_EQ(trace->graph_nodes.captured, 2);
  EXPECT_EQ(trace->op_of(trace->activities.back()), 51);
}

TEST_F(ActivityProbeTest, AWindowLastsFromTheFirstStepToTheLast) {
  begin();
  step(1);
  step(1);
  step(1);
  const GpuTrace* trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  ASSERT_THAT(trace->regions, SizeIs(3));
  EXPECT_EQ(trace->begin_ns, trace->regions.front().begin_ns);
  EXPECT_EQ(trace->end_ns, trace->regions.back().end_ns);
  EXPECT_EQ(trace->steps, 3);
  begin();
  cupti_.waiting.push_back(kernel_now());
  step(0);
  EXPECT_EQ(end(), nullptr) << "all work was before the first step";
}

TEST_F(ActivityProbeTest, CallsBelongToTheInnermostOfOpPhaseAndRepetition) {
  using core::trace::Category;
  const auto inside = [&](const core::trace::RegionInfo& region, const auto& body) {
    probe_->sink()->begin(region);
    body();
    probe_->sink()->end(region);
  };
  std::map<std::string, std::int64_t> tied;
  const auto call = [&](const char* name) { tied[name] = cupti_.external_ids.back(); };
  begin();
  inside({Category::kRepetition, "settling"}, [&] { call("before the steps that count"); });
  inside({Category::kRepetition, "profiled repetition"}, [&] {
    inside({Category::kStep, "step", 0}, [&] {
      cupti_.waiting.push_back(kernel_now());
      call("in the step");
      inside({Category::kPhase, "forward"}, [&] {
        call("in the phase");
        inside({Category::kOp, "conv", 7}, [&] { call("in the op"); });
        inside({Category::kOp, "reorder", -1}, [&] { call("in no op of the plan"); });
      });
      inside({Category::kOp, "alone", 8}, [&] { call("in an op of no phase"); });
      call("in the step again");
    });
  });
  EXPECT_THAT(cupti_.external_ids, IsEmpty());
  const GpuTrace* trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  EXPECT_EQ(trace->steps, 1) << "of all these regions";
  const auto label = [&](const char* name) {
    const GpuOpLabel& found = trace->ops.at(tied.at(name));
    return std::pair(found.name, found.phase);
  };
  const std::pair<std::string, std::string> other{"", "other"};
  const std::pair<std::string, std::string> phase{"", "forward"};
  EXPECT_EQ(label("before the steps that count"), other);
  EXPECT_EQ(label("in the step"), other);
  EXPECT_EQ(label("in the phase"), phase);
  EXPECT_EQ(label("in the op"), std::pair(std::string("conv"), std::string("forward")));
  EXPECT_EQ(label("in no op of the plan"), phase);
  EXPECT_EQ(label("in an op of no phase"), std::pair(std::string("alone"), std::string()));
  EXPECT_EQ(label("in the step again"), other);
}

// As NCCL does on a thread of its own. What a call launched nothing for explains nothing.
TEST_F(ActivityProbeTest, ACallThatNoIdTiesBelongsToTheOpInWhichItBegan) {
  const core::trace::RegionInfo region{core::trace::Category::kStep, "step", 0};
  const core::trace::RegionInfo op{core::trace::Category::kOp, "all_reduce", 7};
  begin();
  probe_->sink()->begin(region);
  probe_->sink()->begin(op);
  std::this_thread::sleep_for(std::chrono::milliseconds(4));  // more than two clocks are apart
  for (const std::uint32_t correlation : {5U, 6U}) {
    cupti_.waiting.push_back(kernel_now());
    cupti_.waiting.back().correlation = correlation;
    cupti_.waiting.back().is_call = true;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(4));
  probe_->sink()->end(op);
  cupti_.waiting.push_back(kernel_now());
  cupti_.waiting.back().correlation = 5;
  probe_->sink()->end(region);
  const GpuTrace* trace = end();
  ASSERT_NE(trace, nullptr) << reason();
  ASSERT_THAT(trace->activities, SizeIs(2)) << "the call that launched the kernel, and that";
  EXPECT_EQ(trace->activities[0].kind, GpuActivityKind::kApiCall);
  EXPECT_EQ(trace->op_of(trace->activities[1]), 7);
}

TEST_F(ActivityProbeTest, RegionsThatBeganBeforeTheWindowTieNothing) {
  begin();
  probe_->sink()->end({core::trace::Category::kPhase, "forward"});
  probe_->sink()->end({core::trace::Category::kRepetition, "settling"});
  step(1);
  EXPECT_THAT(cupti_.external_ids, IsEmpty());
  const GpuTrace* trace = end();
  ASSERT_NE(trace, nullptr) << reason();
}

}  // namespace
}  // namespace dlbench::probes
