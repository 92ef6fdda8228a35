// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A made-up GPU timeline of 1000 us, whose every moment is known, through the analysis into the
// report's JSON:
//
//   us       0      200  220    320 330     430 450      600   700   800 850  950   1000
//   host     data_wait |                        | waits     |
//   stream 7                [fprop ] [wgrad   ]                [wgrad][set]
//   stream 8                           [ copy 350-450 ]
//   stream 9                                                               [ other ...
#include "harness/analysis/gpu_activity.h"

#include "engine/core/error.h"
#include "reports/json_writer.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using nlohmann::json;

constexpr double kMicro = 1e-6;
constexpr double kTolerance = 1e-12;

probes::GpuTrace synthetic_trace() {
  return probes::read_gpu_trace(DLBENCH_RECORDED "/gpu_trace_synthetic.json");
}

// One replayed step of ResUNet++ in bf16, batch 32, 2026-11-27.
TEST(GpuActivity, OfAnH200IsTiedToOpsAndPhases) {
  const probes::GpuTrace trace = probes::read_gpu_trace(DLBENCH_RECORDED "/gpu_trace_h200.json");
  const GpuActivitySummary summary = summarize_activity(trace);
  EXPECT_NEAR(summary.window_s, 22.366043e-3, kTolerance);
  EXPECT_EQ(summary.kernel_without_op_s, 0.0);
  EXPECT_GT(summary.busy_s, 0.95 * summary.window_s);
  double kernels_s = 0.0;
  std::int64_t calls = 0;
  for (const auto& kernel : summary.kernels) {
    EXPECT_NE(kernel.op, "") << kernel.name;
    EXPECT_NE(kernel.phase, "") << kernel.name;
    kernels_s += kernel.total_s;
    calls += kernel.calls;
  }
  EXPECT_EQ(calls, 669) << "of which one or two are cut by the ends of the window";
  EXPECT_GE(kernels_s, summary.compute_s - kTolerance) << "some run beside others";
  EXPECT_GT(summary.phase_s.at("backward"), summary.phase_s.at("forward"));
  ASSERT_FALSE(summary.memsets.empty());
  std::int64_t memsets = 0;
  for (const ActivityRow& memset : summary.memsets) {
    EXPECT_NE(memset.op, "") << "of scratch that a convolution clears";
    EXPECT_NE(memset.phase, "") << memset.op;
    memsets += memset.calls;
  }
  EXPECT_EQ(memsets, 60);
}

TEST(GpuActivity, CountsOverlappingWorkOnce) {
  const GpuActivitySummary summary = summarize_activity(synthetic_trace());
  EXPECT_NEAR(summary.window_s, 1000 * kMicro, kTolerance);
  EXPECT_NEAR(summary.busy_s, (100 + 120 + 150 + 50) * kMicro, kTolerance);
  EXPECT_NEAR(summary.compute_s, 350 * kMicro, kTolerance);
  EXPECT_NEAR(summary.copy_s, 100 * kMicro, kTolerance);
  EXPECT_NEAR(summary.copy_beside_compute_s, 80 * kMicro, kTolerance);
}

// Two all-reduces of 100 us, of which the first runs beside 60 us of the backward pass, the second
// beside a copy alone.
TEST(GpuActivity, ACollectiveIsHiddenBehindKernelsOfTheNetworkAlone) {
  probes::GpuTrace trace{.begin_ns = 0, .end_ns = 1'000'000, .steps = 1};
  const auto add = [&](probes::GpuActivityKind kind, const char* name, int begin_us, int end_us) {
    trace.activities.push_back(
        {.kind = kind, .name = name, .begin_ns = 1000 * begin_us, .end_ns = 1000 * end_us});
  };
  using probes::GpuActivityKind;
  add(GpuActivityKind::kKernel, "conv_dgrad", 0, 160);
  add(GpuActivityKind::kKernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 100, 200);
  add(GpuActivityKind::kKernel, "ncclSymkDevKernel_AllReduce_RSxLD_AGxST_sum_bf16", 300, 400);
  add(GpuActivityKind::kCopy, "host_to_device", 320, 340);
  const GpuActivitySummary summary = summarize_activity(trace);
  EXPECT_NEAR(summary.busy_s, 300 * kMicro, kTolerance);
  EXPECT_NEAR(summary.compute_s, 160 * kMicro, kTolerance);
  EXPECT_NEAR(summary.copy_beside_compute_s, 0.0, kTolerance);
  EXPECT_NEAR(summary.collective_s, 200 * kMicro, kTolerance);
  EXPECT_NEAR(summary.collective_beside_compute_s, 60 * kMicro, kTolerance);
  const reports::ValueMap record = activity_record(summary);
  EXPECT_EQ(record.at("collective_share"), reports::Value(summary.collective_s / summary.window_s));
  EXPECT_EQ(record.at("collective_beside_compute_share"),
            reports::Value(summary.collective_beside_compute_s / summary.window_s));
}

TEST(GpuActivity, ExplainsEveryIdleMomentOnce) {
  const GpuActivitySummary summary = summarize_activity(synthetic_trace());
  EXPECT_NEAR(summary.idle.waiting_for_data, 200 * kMicro, kTolerance);
  EXPECT_NEAR(summary.idle.queued, 10 * kMicro, kTolerance);
  EXPECT_NEAR(summary.idle.synchronization, 150 * kMicro, kTolerance);
  EXPECT_NEAR(summary.idle.launch, (20 + 100 + 100) * kMicro, kTolerance);
}

TEST(GpuActivity, TiesKernelsToOpsByCallAndByGraphNode) {
  const GpuActivitySummary summary = summarize_activity(synthetic_trace());
  ASSERT_EQ(summary.kernels.size(), 3U);
  EXPECT_EQ(summary.kernels[0].name, "conv_wgrad");
  EXPECT_EQ(summary.kernels[0].op, "c1.conv1.wgrad");
  EXPECT_EQ(summary.kernels[0].phase, "backward");
  EXPECT_EQ(summary.kernels[0].calls, 2) << "one launched alone, one by a graph";
  EXPECT_NEAR(summary.kernels[0].total_s, 200 * kMicro, kTolerance);
  EXPECT_EQ(summary.kernels[1].op, "c1.conv1");
  EXPECT_EQ(summary.kernels[2].op, "");
  EXPECT_NEAR(summary.kernel_without_op_s, 50 * kMicro, kTolerance) << "clipped to the window";
  EXPECT_NEAR(summary.phase_s.at("backward"), 200 * kMicro, kTolerance);
}

TEST(GpuActivity, ARecordedStreamBecomesTheReportsValues) {
  reports::RunRecord record;
  record.trials.emplace_back();
  record.trials[0].probes["cupti"] = activity_record(summarize_activity(synthetic_trace()));
  const json cupti =
      json::parse(reports::to_json(record)).at("trials").at(0).at("probes").at("cupti");
  EXPECT_NEAR(cupti.at("busy_share"), 0.42, 1e-9);
  EXPECT_NEAR(cupti.at("idle_share"), 0.58, 1e-9);
  double explained = 0.0;
  for (const auto& [reason, share] : cupti.at("idle").items()) {
    explained += share.get<double>();
  }
  EXPECT_NEAR(explained, 0.58, 1e-9);
  EXPECT_EQ(cupti.at("dropped_records"), 3);
  EXPECT_EQ(cupti.at("graph_activities"), 2);
  double shares = 0.0;
  for (const json& kernel : cupti.at("kernels")) {
    shares += kernel.at("share").get<double>();
  }
  EXPECT_NEAR(shares, 1.0, 1e-9);
  EXPECT_TRUE(cupti.at("kernels").at(2).at("op").is_null());
  const json& copy = cupti.at("copies").at(0);
  EXPECT_EQ(copy.at("name"), "host_to_device");
  EXPECT_NEAR(copy.at("bytes_per_s"), 1e10, 1.0);
  EXPECT_EQ(cupti.at("memsets").at(0).at("bytes"), 256);
  EXPECT_EQ(cupti.at("synchronizations").at(0).at("calls"), 1);
  EXPECT_NEAR(cupti.at("overheads").at(0).at("total_s"), 5 * kMicro, kTolerance);
}

// Two launches of a graph of three kernels, 10 us each with 5 us between them, 40 us between the
// launches. CUPTI 13.0 gave all of them the correlation of a launch that is not in the trace.
probes::GpuTrace replayed_steps(std::int64_t first_correlation, std::int64_t second_correlation) {
  probes::GpuTrace trace{.begin_ns = 0, .end_ns = 120'000, .steps = 2};
  const auto launch = [&](std::int64_t begin_us, std::int64_t correlation) {
    for (std::int64_t node = 0; node < 3; ++node) {
      const std::int64_t begin_ns = 1000 * (begin_us + 15 * node);
      trace.activities.push_back({.kind = probes::GpuActivityKind::kKernel,
                                  .name = "k",
                                  .begin_ns = begin_ns,
                                  .end_ns = begin_ns + 10'000,
                                  .correlation = correlation,
                                  .graph_node = 100 + node});
    }
  };
  launch(0, first_correlation);
  launch(80, second_correlation);
  return trace;
}

TEST(GpuActivity, GapsWithinALaunchOfAGraphAreQueuedWhateverItsCorrelation) {
  for (const auto& [first, second] : {std::pair{7, 7}, std::pair{7, 8}}) {
    const GpuActivitySummary summary = summarize_activity(replayed_steps(first, second));
    EXPECT_NEAR(summary.busy_s, 60 * kMicro, kTolerance);
    EXPECT_NEAR(summary.idle.queued, 4 * 5 * kMicro, kTolerance) << second;
    EXPECT_NEAR(summary.idle.launch, 40 * kMicro, kTolerance) << "between two launches";
  }
}

// The host is steps ahead: while it waits for a batch the device has all that it needs.
TEST(GpuActivity, ABatchThatIsWaitedForIsNoReasonForAGapBeforeWorkThatWasLaunched) {
  probes::GpuTrace trace{.begin_ns = 0, .end_ns = 1000, .steps = 1};
  trace.activities = {
      {.kind = probes::GpuActivityKind::kKernel, .end_ns = 400, .graph_node = 1},
      {.kind = probes::GpuActivityKind::kKernel, .begin_ns = 500, .end_ns = 900, .graph_node = 2}};
  trace.regions = {{.name = "data_wait", .begin_ns = 0, .end_ns = 1000}};
  const IdleSeconds idle = summarize_activity(trace).idle;
  EXPECT_NEAR(idle.queued, 100e-9, kTolerance);
  EXPECT_NEAR(idle.waiting_for_data, 100e-9, kTolerance) << "nothing was launched yet";
}

// Correlations of the calls belong to launches of another recording; calls and launches are as
// many. Calls are recorded in any order.
TEST(GpuActivity, TheNthLaunchOfAGraphIsTheNthCalls) {
  const auto idle = [](const std::vector<std::int64_t>& calls_returned_us) {
    probes::GpuTrace trace = replayed_steps(7, 7);
    for (const std::int64_t returned_us : calls_returned_us) {
      trace.activities.push_back({.kind = probes::GpuActivityKind::kApiCall,
                                  .name = "cudaGraphLaunch_v10000",
                                  .begin_ns = 1000 * (returned_us - 5),
                                  .end_ns = 1000 * returned_us,
                                  .correlation = 1000 + returned_us});
    }
    return summarize_activity(trace).idle;
  };
  EXPECT_NEAR(idle({-10, 30}).queued, (4 * 5 + 40) * kMicro, kTolerance) << "before 40 us";
  for (const auto& calls : {std::vector<std::int64_t>{-10, 70}, {70, -10}}) {
    EXPECT_NEAR(idle(calls).queued, 4 * 5 * kMicro, kTolerance) << calls.front();
    EXPECT_NEAR(idle(calls).launch, 40 * kMicro, kTolerance) << calls.front();
  }
  EXPECT_NEAR(idle({30}).launch, 40 * kMicro, kTolerance) << "whose call it was is not known";
}

TEST(GpuActivity, CountsOnlyThePartInsideOfTheWindow) {
  probes::GpuTrace trace{.begin_ns = 1000, .end_ns = 2000, .steps = 1};
  const auto add = [&](probes::GpuActivityKind kind,
                       std::int64_t begin_ns,
                       std::int64_t end_ns,
                       std::int64_t graph_node = 0) {
    trace.activities.push_back({.kind = kind,
                                .name = "x",
                                .begin_ns = begin_ns,
                                .end_ns = end_ns,
                                .bytes = 1000,
                                .graph_node = graph_node});
  };
  using probes::GpuActivityKind;
  add(GpuActivityKind::kCopy, 500, 900, 1);    // before
  add(GpuActivityKind::kCopy, 900, 1300, 2);   // three quarters
  add(GpuActivityKind::kCopy, 2000, 2400, 3);  // after
  add(GpuActivityKind::kMemset, 1500, 1500);   // takes no time, and is inside
  add(GpuActivityKind::kMemset, 2500, 2500);   // the same outside
  add(GpuActivityKind::kSynchronization, 1900, 5000);
  add(GpuActivityKind::kOverhead, 0, 100);
  const GpuActivitySummary summary = summarize_activity(trace);
  ASSERT_EQ(summary.copies.size(), 1U);
  EXPECT_EQ(summary.copies[0].calls, 1);
  EXPECT_EQ(summary.copies[0].bytes, 750);
  EXPECT_NEAR(summary.copies[0].total_s, 300e-9, 1e-15);
  ASSERT_EQ(summary.memsets.size(), 1U);
  EXPECT_EQ(summary.memsets[0].calls, 1);
  EXPECT_EQ(summary.memsets[0].bytes, 1000);
  ASSERT_EQ(summary.synchronizations.size(), 1U);
  EXPECT_NEAR(summary.synchronizations[0].total_s, 100e-9, 1e-15);
  EXPECT_TRUE(summary.overheads.empty());
  EXPECT_EQ(summary.graph_activities, 1);
}

TEST(GpuActivity, EveryKindHasARowForEachOp) {
  using probes::GpuActivityKind;
  probes::GpuTrace trace{.begin_ns = 0, .end_ns = 100'000, .steps = 1};
  trace.ops = {{3, {"c1.wgrad", "backward"}}, {4, {"all_reduce/0", "backward"}}};
  trace.correlation_op = {{1, 3}, {2, 4}};
  const auto add = [&](GpuActivityKind kind, std::int64_t correlation, std::int64_t length_us) {
    trace.activities.push_back({.kind = kind,
                                .name = "x",
                                .begin_ns = 10'000,
                                .end_ns = 10'000 + 1000 * length_us,
                                .correlation = correlation});
  };
  for (const GpuActivityKind kind : {GpuActivityKind::kKernel,
                                     GpuActivityKind::kCopy,
                                     GpuActivityKind::kMemset,
                                     GpuActivityKind::kSynchronization,
                                     GpuActivityKind::kOverhead}) {
    add(kind, 1, 2);
    add(kind, 1, 3);
    add(kind, 2, 9);
    add(kind, 0, 1);  // nobody knows for whom
  }
  const GpuActivitySummary summary = summarize_activity(trace);
  for (const auto* rows : {&summary.kernels,
                           &summary.copies,
                           &summary.memsets,
                           &summary.synchronizations,
                           &summary.overheads}) {
    ASSERT_EQ(rows->size(), 3U);
    EXPECT_EQ(rows->at(0).op, "all_reduce/0") << "the longest first";
    EXPECT_EQ(rows->at(1).op, "c1.wgrad");
    EXPECT_EQ(rows->at(1).phase, "backward");
    EXPECT_EQ(rows->at(1).calls, 2);
    EXPECT_NEAR(rows->at(1).total_s, 5 * kMicro, kTolerance);
    EXPECT_EQ(rows->at(2).op, "");
    EXPECT_EQ(rows->at(2).phase, "");
  }
  const reports::ValueMap record = activity_record(summary);
  for (const char* table : {"copies", "memsets", "synchronizations", "overheads"}) {
    const auto& rows = std::get<reports::ValueList>(record.at(table).data);
    const auto& row = std::get<reports::ValueMap>(rows.at(1).data);
    EXPECT_EQ(row.at("op"), reports::Value("c1.wgrad")) << table;
    EXPECT_EQ(row.at("phase"), reports::Value("backward")) << table;
  }
}

TEST(UntracedShares, TakeTheCostOfRecordingFromTheIdleTime) {
  GpuActivitySummary summary;
  summary.window_s = 10.0;
  summary.busy_s = 4.0;
  summary.idle = {.queued = 3.0, .synchronization = 1.0, .launch = 2.0};
  summary.steps = 2;
  summary.device_records = 100;
  const UntracedShares as_recorded = untraced_shares(summary, 5.0).value();
  EXPECT_NEAR(as_recorded.busy, 0.4, kTolerance);
  EXPECT_NEAR(as_recorded.launch_idle, 0.3, kTolerance);
  EXPECT_FALSE(as_recorded.replayed);
  // Steps that took 10 recorded take 8 else: 4 at work, and of 4 idle the same parts as of 6.
  const UntracedShares corrected = untraced_shares(summary, 4.0).value();
  EXPECT_NEAR(corrected.busy, 0.5, kTolerance);
  EXPECT_NEAR(corrected.launch_idle, 0.5 * 3.0 / 6.0, kTolerance);
  // More than all idle time is the recording's.
  EXPECT_NEAR(untraced_shares(summary, 1.5)->busy, 1.0, kTolerance);
  EXPECT_NEAR(untraced_shares(summary, 1.5)->launch_idle, 0.0, kTolerance);
  EXPECT_NEAR(untraced_shares(summary, 10.0)->busy, 0.4, kTolerance) << "chance";
  summary.graph_activities = 51;
  EXPECT_TRUE(untraced_shares(summary, 5.0)->replayed);
}

// Of one recorded window nobody asks whether others disturbed it.
TEST(UntracedShares, AStallBesideTheRecordedStepsIsNoneOfTheTimedOnes) {
  for (const double stall_s : {0.0, 0.1, 0.4}) {
    GpuActivitySummary summary;
    summary.steps = 50;
    summary.window_s = 50 * 10e-3 + stall_s;
    summary.busy_s = 50 * 9.9e-3;
    summary.idle.launch = summary.window_s - summary.busy_s;
    summary.device_records = 1000;
    const UntracedShares shares = untraced_shares(summary, 10e-3).value();
    EXPECT_NEAR(shares.busy, 0.99, kTolerance) << stall_s;
    EXPECT_NEAR(shares.launch_idle, 0.01, kTolerance) << stall_s;
  }
}

TEST(UntracedShares, AreNotGuessed) {
  GpuActivitySummary summary;
  summary.window_s = 10.0;
  summary.busy_s = 4.0;
  summary.idle.launch = 6.0;
  summary.steps = 1;
  summary.device_records = 97;
  EXPECT_TRUE(untraced_shares(summary, 10.0).has_value());
  EXPECT_FALSE(untraced_shares(summary, std::nullopt).has_value());
  EXPECT_FALSE(untraced_shares(summary, 0.0).has_value());
  summary.dropped = 3;
  EXPECT_TRUE(untraced_shares(summary, 10.0).has_value());
  summary.dropped = 4;
  EXPECT_FALSE(untraced_shares(summary, 10.0).has_value()) << "over 3 % of the records are lost";
  EXPECT_EQ(untraced_record(std::nullopt).at("launch_idle_share"), reports::Value());
  // Nothing recorded looks like a device that idles.
  const GpuActivitySummary nothing =
      summarize_activity({.begin_ns = 0, .end_ns = 1000, .steps = 2});
  EXPECT_FALSE(untraced_shares(nothing, 1e-6).has_value());
}

TEST(GpuActivity, SaysHowManyNodesOfAGraphWereCapturedAndRecorded) {
  probes::GpuTrace trace = replayed_steps(7, 8);
  EXPECT_FALSE(probes::tie_graph_nodes(trace, {1, 2}));
  const reports::ValueMap record = activity_record(summarize_activity(trace));
  EXPECT_EQ(record.at("graph_nodes"),
            reports::Value(reports::ValueMap{
                {"recorded", 3},
                {"captured", 2},
                {"tied_to_ops", false},
                {"reason",
                 "3 nodes of a graph were recorded and 2 captured: which op a node runs is not "
                 "known"}}));
  EXPECT_TRUE(probes::tie_graph_nodes(trace, {1, 2, 3}));
  EXPECT_EQ(
      activity_record(summarize_activity(trace)).at("graph_nodes"),
      reports::Value(reports::ValueMap{{"recorded", 3}, {"captured", 3}, {"tied_to_ops", true}}));
  EXPECT_EQ(activity_record(summarize_activity(synthetic_trace())).count("graph_nodes"), 0U);
}

// As NCCL does for communicators that do not block.
TEST(GpuActivity, WhatAnotherThreadLaunchesForAnOpIsTiedByItsTime) {
  using probes::GpuActivityKind;
  probes::GpuTrace trace;
  const auto launched = [&](GpuActivityKind kind, std::int64_t correlation, std::int64_t call_ns) {
    trace.activities.push_back({.kind = GpuActivityKind::kApiCall,
                                .begin_ns = call_ns,
                                .end_ns = call_ns + 5,
                                .correlation = correlation});
    trace.activities.push_back({.kind = kind,
                                .begin_ns = call_ns + 100,
                                .end_ns = call_ns + 110,
                                .correlation = correlation});
  };
  launched(GpuActivityKind::kKernel, 1, 12);
  launched(GpuActivityKind::kKernel, 2, 25);  // between two ops
  launched(GpuActivityKind::kKernel, 3, 35);
  launched(GpuActivityKind::kKernel, 4, 15);  // tied by its thread
  launched(GpuActivityKind::kCopy, 5, 16);    // the loader's
  launched(GpuActivityKind::kKernel, 6, 5);   // before the first
  launched(GpuActivityKind::kKernel, 7, 30);  // as its op begins
  launched(GpuActivityKind::kKernel, 8, 40);  // as it has ended
  trace.correlation_op[4] = 40;
  probes::tie_calls_within_ops(trace, {{30, 30, 40}, {10, 10, 20}});
  using Ties = std::map<std::int64_t, std::int64_t>;
  EXPECT_EQ(trace.correlation_op, (Ties{{1, 10}, {3, 30}, {4, 40}, {7, 30}}));
}

TEST(GpuActivity, AnEmptyTraceGivesNoSharesAndNoCrash) {
  const reports::ValueMap record = activity_record(summarize_activity({}));
  EXPECT_EQ(record.at("busy_share"), reports::Value());
  EXPECT_EQ(record.at("kernels"), reports::Value(reports::ValueList{}));
}

TEST(GpuTrace, TimesOfAnotherClockCountAsDropped) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  probes::GpuTrace trace{.origin = "made up", .begin_ns = 10 * kSecond, .end_ns = 11 * kSecond};
  trace.dropped = 1;
  const auto add = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    trace.activities.push_back({.name = "k", .begin_ns = begin_ns, .end_ns = end_ns});
  };
  add(10 * kSecond + 5, 10 * kSecond + 9);
  add(9 * kSecond, 9 * kSecond + 1);                      // before the window, within a second
  add(12 * kSecond - 7, 12 * kSecond);                    // after it, within a second
  add(9 * kSecond - 1, 10 * kSecond);                     // too early
  add(11 * kSecond, 12 * kSecond + 1);                    // too late
  add(10 * kSecond + 9, 10 * kSecond + 5);                // backwards
  add(0, 0);                                              // no time was taken
  add(1'700'000'000 * kSecond, 1'700'000'001 * kSecond);  // since 1970
  EXPECT_EQ(probes::drop_foreign_times(trace, 10 * kSecond, 11 * kSecond), 5);
  EXPECT_EQ(trace.activities.size(), 3U);
  EXPECT_EQ(trace.dropped, 6);
  EXPECT_EQ(summarize_activity(trace).dropped, 6);
  EXPECT_EQ(probes::drop_foreign_times(trace, 10 * kSecond, 11 * kSecond), 0);
}

// The profiler's clock is 100 s ahead, and gains a microsecond in a second.
TEST(GpuTrace, TimesAreMovedToTheHostsClock) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  using probes::GpuActivityKind;
  const probes::ProfilerClock clock({.host_ns = 10 * kSecond, .profiler_ns = 110 * kSecond},
                                    {.host_ns = 11 * kSecond, .profiler_ns = 111 * kSecond + 1000});
  probes::GpuTrace trace;
  trace.activities = {
      {.kind = GpuActivityKind::kKernel, .begin_ns = 110 * kSecond, .end_ns = 111 * kSecond + 1000},
      {.kind = GpuActivityKind::kCopy},  // no time was taken
      {.kind = GpuActivityKind::kApiCall, .begin_ns = 110 * kSecond}};
  move_to_host(trace, clock);
  EXPECT_EQ(trace.activities[0].begin_ns, 10 * kSecond);
  EXPECT_EQ(trace.activities[0].end_ns, 11 * kSecond);
  EXPECT_EQ(trace.activities[1].begin_ns, 0);
  EXPECT_EQ(trace.activities[2].begin_ns, 10 * kSecond);
  EXPECT_EQ(trace.activities[2].end_ns, 0) << "it has not ended";
}

TEST(GpuTrace, WorkThatIsCutByAnEndOfTheWindowLiesPartlyInIt) {
  probes::GpuTrace trace{.begin_ns = 100, .end_ns = 200};
  for (const auto& [begin_ns, end_ns] :
       {std::pair{50, 150}, {120, 130}, {150, 250}, {0, 100}, {200, 300}}) {
    trace.activities.push_back({.begin_ns = begin_ns, .end_ns = end_ns});
  }
  EXPECT_EQ(trace.device_records(), 3);
}

TEST(GpuTrace, OnlyLostWorkOfTheDeviceCountsAsDropped) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  using probes::GpuActivityKind;
  probes::GpuTrace trace;
  for (const GpuActivityKind kind : {GpuActivityKind::kKernel,
                                     GpuActivityKind::kCopy,
                                     GpuActivityKind::kMemset,
                                     GpuActivityKind::kApiCall,
                                     GpuActivityKind::kSynchronization,
                                     GpuActivityKind::kOverhead}) {
    trace.activities.push_back({.kind = kind, .name = "no time"});
    trace.activities.push_back({.kind = kind, .name = "begun", .begin_ns = 10 * kSecond});
  }
  EXPECT_EQ(probes::drop_foreign_times(trace, 10 * kSecond, 11 * kSecond), 3);
  EXPECT_EQ(trace.dropped, 3);
  EXPECT_TRUE(trace.activities.empty());
}

TEST(GpuTrace, ReadingGivesBackWhatWasWritten) {
  const tests::TemporaryFolder folder;
  const std::filesystem::path copy = folder.path() / "trace.json";
  probes::GpuTrace written = synthetic_trace();
  written.graph_nodes = {.recorded = 2, .captured = 3};
  probes::write_gpu_trace(copy, written);
  const probes::GpuTrace again = probes::read_gpu_trace(copy);
  EXPECT_EQ(activity_record(summarize_activity(again)),
            activity_record(summarize_activity(written)));
  EXPECT_EQ(again.regions.size(), 2U);
  std::filesystem::remove(copy);
  EXPECT_THROW((void)probes::read_gpu_trace(copy), core::Error);
}

}  // namespace
}  // namespace dlbench::harness
