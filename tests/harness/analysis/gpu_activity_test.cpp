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

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace dlbench::harness {
namespace {

using nlohmann::json;

constexpr double kMicro = 1e-6;
constexpr double kTolerance = 1e-12;

probes::GpuTrace synthetic() {
  return probes::read_gpu_trace(DLBENCH_TEST_DATA "/recorded/gpu_trace_synthetic.json");
}

TEST(GpuActivity, CountsOverlappingWorkOnce) {
  const GpuActivitySummary summary = summarize_activity(synthetic());
  EXPECT_NEAR(summary.window_s, 1000 * kMicro, kTolerance);
  EXPECT_NEAR(summary.busy_s, (100 + 120 + 150 + 50) * kMicro, kTolerance);
  EXPECT_NEAR(summary.compute_s, 350 * kMicro, kTolerance);
  EXPECT_NEAR(summary.copy_s, 100 * kMicro, kTolerance);
  EXPECT_NEAR(summary.copy_beside_compute_s, 80 * kMicro, kTolerance);
}

TEST(GpuActivity, ExplainsEveryIdleMomentOnce) {
  const GpuActivitySummary summary = summarize_activity(synthetic());
  EXPECT_NEAR(summary.idle.waiting_for_data, 200 * kMicro, kTolerance);
  EXPECT_NEAR(summary.idle.queued, 10 * kMicro, kTolerance);
  EXPECT_NEAR(summary.idle.synchronization, 150 * kMicro, kTolerance);
  EXPECT_NEAR(summary.idle.launch, (20 + 100 + 100) * kMicro, kTolerance);
}

TEST(GpuActivity, TiesKernelsToOpsByCallAndByGraphNode) {
  const GpuActivitySummary summary = summarize_activity(synthetic());
  ASSERT_EQ(summary.kernels.size(), 3U);
  EXPECT_EQ(summary.kernels[0].kernel, "conv_wgrad");
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
  record.trials[0].probes["cupti"] = activity_record(summarize_activity(synthetic()));
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

TEST(GpuTrace, ReadingGivesBackWhatWasWritten) {
  const std::filesystem::path copy = testing::TempDir() + "/dlbench_gpu_trace.json";
  probes::write_gpu_trace(copy, synthetic());
  const probes::GpuTrace again = probes::read_gpu_trace(copy);
  EXPECT_EQ(activity_record(summarize_activity(again)),
            activity_record(summarize_activity(synthetic())));
  EXPECT_EQ(again.regions.size(), 2U);
  std::filesystem::remove(copy);
  EXPECT_THROW((void)probes::read_gpu_trace(copy), core::Error);
}

}  // namespace
}  // namespace dlbench::harness
