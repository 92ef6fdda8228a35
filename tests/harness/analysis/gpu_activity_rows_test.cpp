// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Timelines of a few records each, whose every nanosecond is known.
#include "harness/analysis/gpu_activity.h"
#include "reports/value.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace dlbench::harness {
namespace {

using probes::GpuActivity;
using probes::GpuActivityKind;

constexpr double kNano = 1e-9;
constexpr double kNothing = 1e-15;

GpuActivity kernel(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t correlation = 0) {
  return {.name = "kernel", .begin_ns = begin_ns, .end_ns = end_ns, .correlation = correlation};
}

GpuActivity host_call(const char* name, std::int64_t end_ns, std::int64_t correlation) {
  return {.kind = GpuActivityKind::kApiCall,
          .name = name,
          .begin_ns = end_ns - 40,
          .end_ns = end_ns,
          .correlation = correlation};
}

/// From 0 ns on.
GpuActivitySummary summary_of(std::int64_t end_ns, std::vector<GpuActivity> activities) {
  return summarize_activity(
      {.begin_ns = 0, .end_ns = end_ns, .steps = 1, .activities = std::move(activities)});
}

TEST(GpuActivityRows, TheRateOfCopiesIsThatOfAllOfThem) {
  std::vector<GpuActivity> copies;
  for (const std::int64_t begin_ns : {0, 500}) {
    copies.push_back({.kind = GpuActivityKind::kCopy,
                      .name = "host_to_device",
                      .begin_ns = begin_ns,
                      .end_ns = begin_ns + 100,
                      .bytes = 1000});
  }
  const reports::ValueMap record = activity_record(summary_of(1000, copies));
  const auto& rows = std::get<reports::ValueList>(record.at("copies").data);
  ASSERT_EQ(rows.size(), 1U);
  const auto& row = std::get<reports::ValueMap>(rows.front().data);
  EXPECT_EQ(row.at("bytes"), reports::Value(2000));
  EXPECT_NEAR(std::get<double>(row.at("bytes_per_s").data), 1e10, 1.0);
}

TEST(GpuActivityRows, ComputingIsWhatKernelsDoAndNotCopies) {
  GpuActivity copy = kernel(50, 100);
  copy.kind = GpuActivityKind::kCopy;
  const reports::ValueMap record = activity_record(summary_of(100, {kernel(0, 50), copy}));
  EXPECT_NEAR(std::get<double>(record.at("busy_share").data), 1.0, kNothing);
  EXPECT_NEAR(std::get<double>(record.at("compute_share").data), 0.5, kNothing);
}

TEST(GpuActivityRows, AKernelOfAPhaseMayHaveNoOp) {
  probes::GpuTrace trace{.end_ns = 100, .steps = 1, .activities = {kernel(0, 50, 7)}};
  trace.correlation_op = {{7, -2}};
  trace.ops = {{-2, {.name = "", .phase = "forward"}}};
  const GpuActivitySummary summary = summarize_activity(trace);
  EXPECT_NEAR(summary.phase_s.at("forward"), 50 * kNano, kNothing);
  EXPECT_EQ(activity_record(summary).at("kernel_without_op_share"), reports::Value(1.0));
}

TEST(GpuActivityRows, OneNodeOfAGraphIsNoReplayedStep) {
  std::vector<GpuActivity> kernels{kernel(0, 10), kernel(10, 20), kernel(20, 30)};
  kernels.front().graph_node = 1;
  EXPECT_FALSE(untraced_shares(summary_of(30, kernels), 1.0)->replayed);
  kernels.back().graph_node = 2;
  EXPECT_TRUE(untraced_shares(summary_of(30, kernels), 1.0)->replayed);
}

TEST(GpuActivityIdle, AWaitWhileABatchIsWaitedForIsTheBatchs) {
  probes::GpuTrace trace{.end_ns = 200, .steps = 1, .activities = {kernel(100, 200)}};
  trace.activities.push_back(
      {.kind = GpuActivityKind::kSynchronization, .begin_ns = 40, .end_ns = 80});
  trace.regions = {{.name = "data_wait", .begin_ns = 0, .end_ns = 60}};
  const IdleSeconds idle = summarize_activity(trace).idle;
  EXPECT_NEAR(idle.waiting_for_data, 60 * kNano, kNothing);
  EXPECT_NEAR(idle.synchronization, 20 * kNano, kNothing);
  EXPECT_NEAR(idle.launch, 20 * kNano, kNothing);
}

TEST(GpuActivityIdle, WorkIsQueuedOnceItsCallHasReturned) {
  const auto idle = [](std::int64_t returned_ns) {
    return summary_of(
               200,
               {kernel(0, 100), kernel(140, 200, 1), host_call("cudaLaunchKernel", returned_ns, 1)})
        .idle;
  };
  EXPECT_NEAR(idle(100).queued, 40 * kNano, kNothing);
  EXPECT_NEAR(idle(130).queued, 0.0, kNothing) << "its call began before the gap and ended in it";
  EXPECT_NEAR(idle(130).launch, 40 * kNano, kNothing);
}

// The window begins within a gap of 90 ns, whose begin its reason depends on.
TEST(GpuActivityIdle, AGapBeganWhereItDidAndNotWhereTheWindowBegins) {
  const auto idle = [](std::int64_t returned_ns) {
    return summary_of(100,
                      {kernel(-80, -50),
                       kernel(40, 100, 1),
                       host_call("cudaLaunchKernel", returned_ns, 1)})
        .idle;
  };
  EXPECT_NEAR(idle(-10).launch, 40 * kNano, kNothing)
      << "launched when the device was idle already";
  EXPECT_NEAR(idle(-10).queued, 0.0, kNothing);
  EXPECT_NEAR(idle(-60).queued, 40 * kNano, kNothing);
}

TEST(GpuActivityRows, WorkWithoutDurationBelongsToTheWindowInWhichItBegan) {
  for (const auto& [at_ns, calls] : {std::pair{-1, 0}, {0, 1}, {50, 1}, {100, 0}}) {
    probes::GpuTrace trace{.end_ns = 100, .steps = 1, .activities = {kernel(at_ns, at_ns)}};
    EXPECT_EQ(trace.device_records(), calls) << at_ns;
    EXPECT_EQ(summarize_activity(trace).kernels.size(), static_cast<std::size_t>(calls)) << at_ns;
  }
}

TEST(GpuActivityIdle, ALaunchOfAGraphAmongMoreCallsIsTiedToNone) {
  const auto idle = [](bool one_more) {
    std::vector<GpuActivity> activities{
        kernel(0, 100), kernel(140, 200), host_call("cudaGraphLaunch", 60, 8)};
    activities[1].graph_node = 1;
    if (one_more) {
      activities.push_back(host_call("cudaGraphLaunch", 190, 9));
    }
    return summary_of(200, activities).idle;
  };
  EXPECT_NEAR(idle(false).queued, 40 * kNano, kNothing);
  EXPECT_NEAR(idle(true).queued, 0.0, kNothing);
  EXPECT_NEAR(idle(true).launch, 40 * kNano, kNothing);
}

}  // namespace
}  // namespace dlbench::harness
