// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded streams through the code that measures, into the report's JSON.
#include "harness/trials/probe_set.h"

#include "engine/core/error.h"
#include "engine/core/trace.h"
#include "probes/gpu/gpu_recording.h"
#include "probes/gpu_summary.h"
#include "probes/sink_fanout.h"
#include "reports/json_writer.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace dlbench::harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

reports::TrialRecord trial_of_two_repetitions() {
  reports::TrialRecord trial;
  trial.kind = reports::TrialKind::kSynthetic;
  trial.variant = "device";
  trial.batch_size_per_rank = 4;
  trial.repetitions = {
      {.index = 0, .steps = 100, .samples = 400, .wall_s = 1.9},
      {.index = 1, .discarded = "disturbed", .steps = 50, .samples = 200, .wall_s = 0.8}};
  return trial;
}

json report_of(const probes::ProbeValues& values) {
  reports::RunRecord record;
  record.trials.push_back(trial_of_two_repetitions());
  record.trials[0].probes["nvml"] = probe_record(values, record.trials[0]);
  return json::parse(reports::to_json(record)).at("trials").at(0).at("probes").at("nvml");
}

// Two windows: 2 s at 300 W and 1 s at 600 W, steps in 2.7 s of them, each after a pause at 80 W
// that the first sample shows; limit 800 W, 600 samples. Of 30 samples the device calls one idle.
TEST(ProbeRecord, ARecordedNvmlStreamBecomesTheReportsValues) {
  const probes::GpuRecording recording =
      probes::read_gpu_recording(DLBENCH_RECORDED "/nvml_synthetic.json");
  const json nvml = report_of(
      {true, "", probes::gpu_values(recording.gpu, recording.of_trial("synthetic/device"))});
  EXPECT_EQ(nvml.at("available"), true);
  EXPECT_NEAR(nvml.at("energy_joules"), 1200.0, 1e-9)
      << "last minus first of the counter, 1185.2, has some of the pause and lacks the end";
  EXPECT_EQ(nvml.at("energy_joules_source"), "counter");
  EXPECT_NEAR(nvml.at("energy_integrated_joules"), 1200.0, 1e-9);
  EXPECT_NEAR(nvml.at("joules_per_sample"), 400.0 * 2.7 / 600, 1e-9);
  EXPECT_DOUBLE_EQ(nvml.at("power_mean_watt"), 400.0);
  EXPECT_DOUBLE_EQ(nvml.at("power_average_watt"), 390.0);
  EXPECT_DOUBLE_EQ(nvml.at("power_max_watt"), 600.0);
  EXPECT_DOUBLE_EQ(nvml.at("power_share_of_limit"), 0.5);
  EXPECT_DOUBLE_EQ(nvml.at("busy_share"), 0.9);
  EXPECT_DOUBLE_EQ(nvml.at("memory_used_max_bytes"), 8000000020.0);
  EXPECT_DOUBLE_EQ(nvml.at("sm_clock_min_mhz"), 1400.0);
  EXPECT_DOUBLE_EQ(nvml.at("sm_clock_limit_mhz"), 1980.0);
  EXPECT_DOUBLE_EQ(nvml.at("power_cap_share"), 15.0 / 29.0);
  EXPECT_DOUBLE_EQ(nvml.at("throttled_share"), 3.0 / 29.0);
  EXPECT_DOUBLE_EQ(nvml.at("hardware_thermal_share"), 3.0 / 29.0);
  EXPECT_DOUBLE_EQ(nvml.at("xid_events"), 0.0);
  EXPECT_DOUBLE_EQ(nvml.at("ecc_corrected_events"), 1.0);
  EXPECT_DOUBLE_EQ(nvml.at("samples"), 32.0);
  EXPECT_DOUBLE_EQ(nvml.at("monitor_cpu_share"), 0.001);
  EXPECT_TRUE(nvml.at("memory_temperature_max_celsius").is_null());
  EXPECT_EQ(nvml.at("memory_temperature_max_celsius_reason"),
            "the device or its driver does not tell");
}

// ResUNet++ in bf16, batch 32, 2026-11-27: all seven windows of `full`, and the report of that run.
TEST(ProbeRecord, TheStreamOfAnH200BecomesWhatItsReportSaid) {
  const probes::GpuRecording recording =
      probes::read_gpu_recording(DLBENCH_RECORDED "/nvml_h200.json");
  const json nvml =
      report_of({true, "", probes::gpu_values(recording.gpu, recording.of_trial("full"))});
  EXPECT_NEAR(nvml.at("window_seconds"), 7.420995699, 1e-8);
  EXPECT_EQ(nvml.at("samples"), 84);
  EXPECT_NEAR(nvml.at("energy_joules"), 4852.373414204254, 1e-6);
  EXPECT_EQ(nvml.at("energy_joules_source"), "power") << "4 ms a reading: its counter is too dear";
  EXPECT_NEAR(nvml.at("power_mean_watt"), 653.8671305084949, 1e-9);
  EXPECT_NEAR(nvml.at("power_average_watt"), 653.0072140225495, 1e-9)
      << "the report said 624.6, of seconds that lay in part before their windows";
  EXPECT_EQ(nvml.at("power_max_watt"), 709.772);
  EXPECT_EQ(nvml.at("busy_share"), 1.0);
  EXPECT_EQ(nvml.at("sm_clock_mean_mhz"), 1980.0);
  EXPECT_EQ(nvml.at("throttled_share"), 0.0);
}

TEST(ProbeRecord, WithoutEnergyThereAreNoJoulesPerSample) {
  const json nvml = report_of({true, "", probes::gpu_values({}, probes::GpuSums{})});
  EXPECT_TRUE(nvml.at("joules_per_sample").is_null());
  EXPECT_EQ(nvml.at("energy_joules_reason"), "no window of this trial");
}

TEST(ProbeRecord, BatchesBesideStepsHaveNoJoulesOfTheirOwn) {
  const probes::GpuRecording recording =
      probes::read_gpu_recording(DLBENCH_RECORDED "/nvml_synthetic.json");
  reports::TrialRecord trial = trial_of_two_repetitions();
  trial.kind = reports::TrialKind::kInterference;
  trial.variant = "loader_beside_step";
  const reports::ValueMap nvml = probe_record(
      {true, "", probes::gpu_values(recording.gpu, recording.of_trial("synthetic/device"))}, trial);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(nvml.at("joules_per_sample").data));
  EXPECT_EQ(std::get<std::string>(nvml.at("joules_per_sample_reason").data),
            "steps of the network ran beside these batches");
}

// The slowest rank took 2.7 s, rank 0 1.9 s.
TEST(ProbeRecord, JoulesPerSampleAreOfRankZerosOwnTime) {
  const probes::GpuRecording recording =
      probes::read_gpu_recording(DLBENCH_RECORDED "/nvml_synthetic.json");
  reports::TrialRecord trial = trial_of_two_repetitions();
  trial.ranks = 2;
  trial.repetitions[0].step_wall_s.assign(100, 0.012);
  trial.repetitions[1].step_wall_s.assign(50, 0.014);
  const reports::ValueMap nvml = probe_record(
      {true, "", probes::gpu_values(recording.gpu, recording.of_trial("synthetic/device"))}, trial);
  EXPECT_NEAR(std::get<double>(nvml.at("joules_per_sample").data), 400.0 * 1.9 / 600, 1e-9);
}

TEST(ProbeRecord, AGpuOfSeveralRanksHasNoJoulesOfOneRanksSamples) {
  const probes::GpuRecording recording =
      probes::read_gpu_recording(DLBENCH_RECORDED "/nvml_synthetic.json");
  const reports::ValueMap nvml = probe_record(
      {true, "", probes::gpu_values(recording.gpu, recording.of_trial("synthetic/device"))},
      trial_of_two_repetitions(),
      true);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(nvml.at("joules_per_sample").data));
  EXPECT_THAT(std::get<std::string>(nvml.at("joules_per_sample_reason").data),
              HasSubstr("ranks share the GPU"));
}

// 0.3 s: three changes of the counter, three samples of the power.
TEST(ProbeRecord, EnergyOfATooShortWindowIsNotGuessed) {
  const probes::GpuRecording recording =
      probes::read_gpu_recording(DLBENCH_RECORDED "/nvml_synthetic.json");
  const json nvml =
      report_of({true, "", probes::gpu_values(recording.gpu, recording.of_trial("full"))});
  EXPECT_TRUE(nvml.at("energy_joules").is_null());
  EXPECT_FALSE(nvml.contains("energy_joules_source"));
  EXPECT_TRUE(nvml.at("joules_per_sample").is_null());
  EXPECT_EQ(nvml.at("joules_per_sample_reason"), nvml.at("energy_joules_reason"));
}

TEST(ProbeSet, LeavesProbesOfOtherDevicesClosed) {
  const ProbeSet probes({.kind = "cpu"});
  reports::RunRecord record;
  probes.collect(record);
  const json nvml = json::parse(reports::to_json(record)).at("probes").at("nvml");
  EXPECT_EQ(nvml.at("available"), false);
  EXPECT_EQ(nvml.at("reason"), "this run computes on cpu, the probe watches cuda");
}

// What `text` is refused with.
std::string refusal(const std::string& text) {
  return tests::usage_error([&] { static_cast<void>(ProbeChoice(text)); });
}

TEST(ProbeChoice, TakesAllNoneOrNames) {
  EXPECT_TRUE(ProbeChoice().contains("proc"));
  EXPECT_TRUE(ProbeChoice("all").contains("proc"));
  EXPECT_FALSE(ProbeChoice("none").contains("proc"));
  EXPECT_TRUE(ProbeChoice("rapl,proc").contains("proc"));
  EXPECT_FALSE(ProbeChoice("rapl,proc").contains("nvml"));
}

TEST(ProbeChoice, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(refusal("nvlm"), HasSubstr("did you mean 'nvml'"));
  EXPECT_THAT(refusal("proc,nome"), HasSubstr("did you mean 'none'"));
  EXPECT_THAT(refusal("proc,"), HasSubstr("--probes"));
  EXPECT_THAT(refusal("proc,none"), HasSubstr("stands alone"));
  EXPECT_THAT(refusal("timeline"), HasSubstr("--trace"));
  EXPECT_THAT(refusal("x"), Not(HasSubstr("timeline"))) << "cannot be named";
}

TEST(ProbeSet, SaysThatAProbeOfThePluginWatchesAnotherDevice) {
  const ProbeSet probes({.kind = "cpu"}, {.choice = ProbeChoice("proc,cupti")});
  reports::RunRecord record;
  probes.collect(record);
  const json of_run = json::parse(reports::to_json(record)).at("probes");
  EXPECT_EQ(of_run.at("cupti").at("available"), false);
  EXPECT_THAT(of_run.at("cupti").at("reason"), HasSubstr("the probe watches cuda"));
  EXPECT_EQ(of_run.at("cupti_counters").at("reason"), "not asked for: --probes proc,cupti");
}

TEST(ProbeSet, HasAReasonForEachProbeThatDoesNotWatch) {
  ::testing::internal::CaptureStderr();
  const ProbeSet cpu({.kind = "cpu"});
  ProbeSet gpu({.kind = "cuda"}, {.choice = ProbeChoice("cupti"), .traces = true});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: probe cupti does not measure: this build has no CUPTI\n")
      << "of those that nobody named the report is enough";
  reports::RunRecord record;
  cpu.collect(record);
  const json of_run = json::parse(reports::to_json(record)).at("probes");
  record.probes = cpu.collect("training");
  EXPECT_EQ(json::parse(reports::to_json(record)).at("probes").size(), of_run.size());
  for (const char* probe : {"cupti", "cupti_counters", "cupti_sampling"}) {
    EXPECT_EQ(of_run.at(probe).at("available"), false);
    EXPECT_THAT(of_run.at(probe).at("reason"), HasSubstr("the probe watches cuda"));
  }
  EXPECT_EQ(of_run.at("timeline"),
            (json{{"available", false}, {"reason", "not asked for: no --trace"}}));
  record.probes.clear();
  gpu.collect(record);
  EXPECT_EQ(json::parse(reports::to_json(record)).at("probes").at("timeline").at("reason"),
            "the run ended before anything was recorded for --trace");
  TraceRecording(gpu).collect(record);
  gpu.collect(record);
  EXPECT_TRUE(
      json::parse(reports::to_json(record)).at("probes").at("timeline").contains("recorded_events"))
      << "what was recorded stays";
}

TEST(ProbeSet, LeavesProbesThatNobodyAskedForClosed) {
  ProbeSet probes({.kind = "cpu"}, {.choice = ProbeChoice("proc")});
  EXPECT_TRUE(probes.with_own_repetition().empty());
  probes.begin({reports::TrialKind::kSynthetic, "device"});
  static_cast<void>(probes.end());
  reports::RunRecord record;
  record.trials.push_back(trial_of_two_repetitions());
  probes.collect(record);
  const json report = json::parse(reports::to_json(record));
  EXPECT_EQ(report.at("probes").at("proc").at("available"), true);
  EXPECT_EQ(report.at("probes").at("perf_event").at("available"), false);
  EXPECT_EQ(report.at("probes").at("perf_event").at("reason"), "not asked for: --probes proc");
  const json& watched = report.at("trials").at(0).at("probes");
  EXPECT_TRUE(watched.contains("proc"));
  EXPECT_EQ(watched.size(), 1U);
}

/// Counts what it is told.
class CountingSink final : public core::trace::Sink {
 public:
  void begin(const core::trace::RegionInfo& /*region*/) noexcept override { ++begun; }
  void end(const core::trace::RegionInfo& /*region*/) noexcept override { ++ended; }
  void name_thread(std::string_view /*name*/) noexcept override {}
  void map_captured_node(std::uint64_t /*node*/, std::int64_t /*op_id*/) noexcept override {}

  int begun = 0;
  int ended = 0;
};

// As where a step throws while loader workers are at work.
TEST(ProbeSet, RegionsEndWhereTheyBeganThoughNobodyListensAnyMore) {
  CountingSink sink;
  ProbeSet probes({.kind = "cpu"}, {.choice = ProbeChoice("none")});
  std::optional<core::trace::Region> region;
  std::optional<core::trace::Region> later;
  {
    TraceRecording recording(probes);
    const TraceRecording::Scope scope(recording, &sink);
    region.emplace(core::trace::Category::kLoader, "load");
  }
  {
    const ScopedSinks others(probes, {&sink});
    later.emplace(core::trace::Category::kLoader, "load");
  }
  EXPECT_EQ(core::trace::sink(), nullptr);
  later.reset();
  region.reset();
  EXPECT_EQ(sink.begun, 2);
  EXPECT_EQ(sink.ended, 2);
}

TEST(ProbeSet, NobodyWhoListensIsNoSink) {
  ProbeSet probes({.kind = "cpu"}, {.choice = ProbeChoice("none")});
  {
    const ScopedSinks listening(probes, {nullptr});
    EXPECT_EQ(core::trace::sink(), nullptr);
  }
  probes::SinkFanout nobody({});
  {
    const ScopedSinks listening(probes, {nullptr, &nobody});
    EXPECT_NE(core::trace::sink(), nullptr);
  }
  EXPECT_EQ(core::trace::sink(), nullptr);
}

}  // namespace
}  // namespace dlbench::harness
