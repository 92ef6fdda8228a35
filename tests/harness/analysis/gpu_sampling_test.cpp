// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A made-up stream of six samples, every 100 us with two lost, through the analysis into the
// report's JSON. The steps lie between 150 us and 750 us: the middles of four samples.
#include "harness/analysis/gpu_sampling.h"

#include "reports/json_writer.h"
#include "reports/record.h"
#include "reports/text/gpu_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace dlbench::harness {
namespace {

using nlohmann::json;

constexpr double kShareTolerance = 1e-12;

probes::GpuSamples synthetic_samples() {
  return probes::read_gpu_samples(DLBENCH_RECORDED "/gpu_samples_synthetic.json");
}

json as_json(const probes::GpuSamples& samples) {
  reports::RunRecord record;
  record.trials.emplace_back();
  record.trials[0].probes["cupti_sampling"] = sampling_record(samples);
  return json::parse(reports::to_json(record)).at("trials").at(0).at("probes").at("cupti_sampling");
}

TEST(GpuSampling, ARecordedStreamBecomesTheReportsValues) {
  const json record = as_json(synthetic_samples());
  EXPECT_EQ(record.at("available"), true);
  EXPECT_EQ(record.at("samples"), 4);
  EXPECT_EQ(record.at("lost_samples"), 2);
  EXPECT_EQ(record.at("buffer_overflows"), 0);
  EXPECT_EQ(record.at("on_host_clock"), true);
  EXPECT_EQ(record.at("steps"), 2);
  EXPECT_NEAR(record.at("interval_s"), 100e-6, kShareTolerance);
  EXPECT_NEAR(record.at("window_s"), 600e-6, kShareTolerance);
  const json& active = record.at("counters").at("sm_active_share");
  EXPECT_EQ(active.at("n"), 4);
  EXPECT_NEAR(active.at("mean"), (0.2 + 0.4 + 0.6 + 0.8) / 4, kShareTolerance);
  EXPECT_NEAR(active.at("p95"), 0.6 + 0.85 * 0.2, kShareTolerance);
  EXPECT_NEAR(active.at("max"), 0.8, kShareTolerance);
  const json& dram = record.at("counters").at("dram_read_bytes_per_s");
  EXPECT_EQ(dram.at("n"), 3) << "one of the four is no number";
  EXPECT_NEAR(dram.at("mean"), 2e12, 1.0);
  EXPECT_EQ(record.at("missing_counters"), json::array({"dram__bytes_write.sum.per_second"}));
}

TEST(GpuSampling, WithoutAStepThereIsNoWindow) {
  EXPECT_TRUE(as_json({.counters = {"sm_active_share"}}).at("window_s").is_null());
}

TEST(GpuSampling, TheOrderOfTheSamplesChangesNothing) {
  const auto active = [](const std::vector<double>& values) {
    probes::GpuSamples samples{.counters = {"sm_active_share"}};
    for (const double value : values) {
      samples.samples.push_back({.values = {value}});
    }
    return as_json(samples).at("counters").at("sm_active_share");
  };
  const json scattered = active({0.8, 0.2, 0.6, 0.4});
  EXPECT_NEAR(scattered.at("p95"), 0.6 + 0.85 * 0.2, kShareTolerance);
  EXPECT_NEAR(scattered.at("max"), 0.8, kShareTolerance);
  EXPECT_NEAR(active({0.1, 0.1, 0.7}).at("mean"), 0.3, kShareTolerance) << "not the median";
}

// 30 ms of ResUNet++ in bf16, batch 32, 2026-11-27.
TEST(GpuSampling, OfAnH200HasNoGapsAndNoMoreThanThereIs) {
  const json record = as_json(probes::read_gpu_samples(DLBENCH_RECORDED "/gpu_samples_h200.json"));
  EXPECT_EQ(record.at("samples"), 300);
  EXPECT_EQ(record.at("lost_samples"), 0);
  EXPECT_EQ(record.at("on_host_clock"), true);
  EXPECT_NEAR(record.at("interval_s"), 100e-6, 1e-6);
  const json& counters = record.at("counters");
  for (const char* const share : {"sm_active_share", "tensor_active_share", "warps_active_share"}) {
    EXPECT_GT(counters.at(share).at("mean"), 0.0) << share;
    EXPECT_LE(counters.at(share).at("max"), 1.0) << share;
  }
  const double read = counters.at("dram_read_bytes_per_s").at("mean");
  const double written = counters.at("dram_written_bytes_per_s").at("mean");
  EXPECT_GT(read, written);
  EXPECT_LT(read + written, 4.8e12) << "the data sheet's";
}

TEST(GpuSampling, IsShownWhereNothingWasCounted) {
  reports::RunRecord record;
  record.trials.emplace_back().kind = reports::TrialKind::kFull;
  record.trials[0].probes["cupti_sampling"] =
      sampling_record(probes::read_gpu_samples(DLBENCH_RECORDED "/gpu_samples_h200.json"));
  EXPECT_THAT(reports::gpu_text(record), ::testing::ContainsRegex(" 87.3 % +23.3 % +22.5 % "));
}

TEST(GpuSampling, WithoutStepsOrOnAnotherClockEverySampleCounts) {
  probes::GpuSamples samples = synthetic_samples();
  samples.steps = 0;
  EXPECT_EQ(as_json(samples).at("samples"), 6);
  samples = synthetic_samples();
  samples.started_ns += 3'600'000'000'000;
  samples.stopped_ns += 3'600'000'000'000;
  const json record = as_json(samples);
  EXPECT_EQ(record.at("on_host_clock"), false);
  EXPECT_EQ(record.at("samples"), 6);
  EXPECT_NEAR(record.at("counters").at("sm_active_share").at("mean"), 0.5, kShareTolerance);
}

TEST(GpuSampling, NoSamplesGiveNoNumbersAndNoCrash) {
  probes::GpuSamples samples = synthetic_samples();
  samples.samples.clear();
  const json record = as_json(samples);
  EXPECT_TRUE(record.at("interval_s").is_null());
  EXPECT_TRUE(record.at("counters").at("sm_active_share").at("mean").is_null());
  EXPECT_EQ(record.at("counters").at("sm_active_share").at("n"), 0);
}

}  // namespace
}  // namespace dlbench::harness
