// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Own repetitions with a probe that replays a recorded stream: from the records of a device to
// report, taints and timeline, without a device.
#include "harness/trials/profiling.h"

#include "probes/registry.h"
#include "reports/json_writer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <vector>

namespace dlbench::harness {
namespace {

using nlohmann::json;

// Watches the "pretended" device; each window ends with the same records.
class ReplayingProbe final : public probes::Probe {
 public:
  [[nodiscard]] const probes::ProbeSpec& spec() const override {
    static const probes::ProbeSpec spec{.name = "replaying",
                                        .description = "replays a file",
                                        .device = "pretended",
                                        .own_repetition = true,
                                        .on_timeline = true};
    return spec;
  }
  [[nodiscard]] std::string open(const probes::ProbeOptions& /*options*/) override { return {}; }
  void begin_trial(std::string_view /*trial*/) noexcept override {}
  void end_trial() noexcept override {
    trace_ = probes::read_gpu_trace(DLBENCH_TEST_DATA "/recorded/gpu_trace_synthetic.json");
    trace_.ops.clear();  // as of a graph that is replayed: the harness knows the names
  }
  [[nodiscard]] const probes::GpuTrace* device_trace() const override { return &trace_; }
  [[nodiscard]] probes::ProbeValues collect(std::string_view /*trial*/) const override {
    return {true, {}, {}};
  }

 private:
  probes::GpuTrace trace_;
};

const probes::ProbeRegistrar kReplaying("replaying",
                                        [] { return std::make_unique<ReplayingProbe>(); });

// The same with samples of counters.
class SamplingReplay final : public probes::Probe {
 public:
  [[nodiscard]] const probes::ProbeSpec& spec() const override {
    static const probes::ProbeSpec spec{.name = "sampling_replay",
                                        .description = "replays a file",
                                        .device = "pretended",
                                        .own_repetition = true,
                                        .on_timeline = true};
    return spec;
  }
  [[nodiscard]] std::string open(const probes::ProbeOptions& /*options*/) override { return {}; }
  void begin_trial(std::string_view /*trial*/) noexcept override {}
  void end_trial() noexcept override {
    samples_ = probes::read_gpu_samples(DLBENCH_TEST_DATA "/recorded/gpu_samples_synthetic.json");
  }
  [[nodiscard]] const probes::GpuSamples* device_samples() const override { return &samples_; }
  [[nodiscard]] probes::ProbeValues collect(std::string_view /*trial*/) const override {
    return {true, {}, {}};
  }

 private:
  probes::GpuSamples samples_;
};

const probes::ProbeRegistrar kSampling("sampling_replay",
                                       [] { return std::make_unique<SamplingReplay>(); });

// Opens, and is refused when recording begins, as where counters are an administrator's.
class RefusedProbe final : public probes::Probe {
 public:
  [[nodiscard]] const probes::ProbeSpec& spec() const override {
    static const probes::ProbeSpec spec{.name = "refused",
                                        .description = "may not look",
                                        .device = "pretended",
                                        .own_repetition = true};
    return spec;
  }
  [[nodiscard]] std::string open(const probes::ProbeOptions& /*options*/) override { return {}; }
  void begin_trial(std::string_view /*trial*/) noexcept override {}
  void end_trial() noexcept override {}
  [[nodiscard]] probes::ProbeValues collect(std::string_view /*trial*/) const override {
    return {false, "only administrators may look", {}};
  }
};

const probes::ProbeRegistrar kRefused("refused", [] { return std::make_unique<RefusedProbe>(); });

class CountingArm final : public Arm {
 public:
  explicit CountingArm(TrialId id) : Arm(std::move(id)) {}
  void prepare() override {}
  std::optional<StepSample> step() override { return StepSample{.samples = 2}; }
  void finish() override {}
};

TEST(ProfileArms, GivesTheTrialsOfADeviceItsRecordsAndTheTimelineItsTracks) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  TrialRunner runner({}, group, guard, [](const std::vector<TrialResult>&) {});
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<CountingArm>(TrialId{reports::TrialKind::kIo, ""}));
  arms.push_back(std::make_unique<CountingArm>(TrialId{reports::TrialKind::kSynthetic, "device"}));
  reports::RunRecord record;
  record.trials.resize(2);
  record.trials[0].kind = reports::TrialKind::kIo;
  record.trials[1].kind = reports::TrialKind::kSynthetic;
  record.trials[1].variant = "device";
  record.trials[1].step_time_s = reports::StepTimeRecord{.median = 1.0};
  const std::filesystem::path file = testing::TempDir() + "/dlbench_profiling_trace.json";

  ProbeSet probes({.kind = "pretended"});
  probes.collect(record);
  ::testing::internal::CaptureStderr();
  const std::optional<double> idle = profile_arms(
      probes,
      runner,
      arms,
      {.seconds = 0.001, .trace_file = file.string(), .ops = {{3, {"conv1", "forward"}}}},
      record);
  const std::string said = ::testing::internal::GetCapturedStderr();

  ASSERT_TRUE(idle.has_value());
  EXPECT_NEAR(*idle, 0.58, 1e-9);
  const json report = json::parse(reports::to_json(record));
  const json& values = report.at("trials").at(1).at("probes");
  for (const char* of_own_repetitions : {"replaying", "sampling_replay", "refused"}) {
    EXPECT_EQ(record.trials[0].probes.count(of_own_repetitions), 0U) << "io has no device";
  }
  EXPECT_EQ(values.at("replaying").at("kernels").at(1).at("op"), "conv1");
  EXPECT_LT(values.at("replaying").at("slowdown_share"), 0.0) << "a step of a second was claimed";
  EXPECT_EQ(values.at("sampling_replay").at("samples"), 4);
  EXPECT_LT(values.at("sampling_replay").at("slowdown_share"), 0.0);
  EXPECT_EQ(said, "warning: probe refused does not measure: only administrators may look\n");
  EXPECT_EQ(report.at("probes").at("refused"),
            (json{{"available", false}, {"reason", "only administrators may look"}}));
  EXPECT_EQ(report.at("probes").at("replaying").at("available"), true);
  ASSERT_EQ(record.run.taints.size(), 2U);
  EXPECT_EQ(record.run.taints[0].code, reports::Taint::kDroppedProfilerRecords);
  EXPECT_EQ(record.run.taints[0].detail, "3 records of replaying are lost");
  EXPECT_EQ(record.run.taints[1].code, reports::Taint::kDroppedProfilerRecords);
  EXPECT_EQ(record.run.taints[1].detail, "2 records of sampling_replay are lost");

  std::ifstream stream(file);
  std::set<std::string> tracks;
  std::map<std::string, std::vector<double>> counters;
  const json trace = json::parse(stream);
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") == "thread_name") {
      tracks.insert(event.at("args").at("name").get<std::string>());
    } else if (event.at("ph") == "C") {
      counters[event.at("name")].push_back(event.at("args").at("value"));
    }
  }
  std::filesystem::remove(file);
  EXPECT_EQ(tracks,
            (std::set<std::string>{
                "main", "GPU stream 7", "GPU stream 8", "GPU stream 9", "GPU overhead"}));
  EXPECT_EQ(counters,
            (std::map<std::string, std::vector<double>>{
                {"GPU sm_active_share", {0.0, 0.2, 0.4, 0.0, 0.6, 0.8, 1.0, 0.0}},
                {"GPU dram_read_bytes_per_s", {0.0, 1e12, 0.0, 3e12, 2e12, 5e11, 0.0}}}));
}

TEST(TieGraphNodes, FollowsTheOrderOfCaptureOrClaimsNothing) {
  probes::GpuTrace trace;
  for (const std::int64_t node : {700, 705, 701, 700, 0}) {
    trace.activities.push_back({.kind = probes::GpuActivityKind::kKernel, .graph_node = node});
  }
  EXPECT_FALSE(probes::tie_graph_nodes(trace, {1, 2}));
  EXPECT_TRUE(trace.graph_node_op.empty());
  EXPECT_TRUE(probes::tie_graph_nodes(trace, {11, 11, 12}));
  EXPECT_EQ(trace.op_of(trace.activities[1]), 12);
  EXPECT_EQ(trace.op_of(trace.activities[2]), 11);
  EXPECT_EQ(trace.op_of(trace.activities[4]), -1);
}

}  // namespace
}  // namespace dlbench::harness
