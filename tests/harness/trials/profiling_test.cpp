// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Own repetitions with a probe that replays a recorded stream: from the records of a device to
// report, taints and timeline, without a device.
#include "harness/trials/profiling.h"

#include "engine/core/error.h"
#include "probes/registry.h"
#include "reports/json_writer.h"
#include "tests/engine/comm/thread_rendezvous.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <vector>

namespace dlbench::harness {
namespace {

using nlohmann::json;

// Watches the "fake" device; each window ends with the same records, of which some are lost in
// all trials but synthetic/device: a single one in full.
class ReplayingProbe final : public probes::Probe {
 public:
  [[nodiscard]] const probes::ProbeSpec& spec() const override {
    static const probes::ProbeSpec spec{.name = "replaying",
                                        .description = "replays a file",
                                        .device = "fake",
                                        .own_repetition = true,
                                        .on_timeline = true,
                                        .needs_profiler = true};
    return spec;
  }
  [[nodiscard]] std::string open(const probes::ProbeOptions& /*options*/) override { return {}; }
  void begin_trial(std::string_view trial) noexcept override { trial_ = trial; }
  void end_trial() noexcept override {
    trace_ = probes::read_gpu_trace(DLBENCH_RECORDED "/gpu_trace_synthetic.json");
    trace_.ops.clear();  // as of a graph that is replayed: the harness knows the names
    if (trial_ == "synthetic/device") {
      trace_.dropped = 0;
    }
    if (trial_ == "full") {
      trace_.dropped = 1;
      trace_.graph_nodes = {.recorded = 2, .captured = 3};
    }
  }
  [[nodiscard]] const probes::GpuTrace* device_trace() const override { return &trace_; }
  [[nodiscard]] probes::ProbeValues collect(std::string_view /*trial*/) const override {
    return {true, {}, {}};
  }

 private:
  std::string trial_;
  probes::GpuTrace trace_;
};

const probes::ProbeRegistration kReplaying("replaying",
                                           [] { return std::make_unique<ReplayingProbe>(); });

// The same with samples of counters of synthetic/device.
class SamplingReplay final : public probes::Probe {
 public:
  [[nodiscard]] const probes::ProbeSpec& spec() const override {
    static const probes::ProbeSpec spec{.name = "sampling_replay",
                                        .description = "replays a file",
                                        .device = "fake",
                                        .own_repetition = true,
                                        .on_timeline = true,
                                        .needs_profiler = true};
    return spec;
  }
  [[nodiscard]] std::string open(const probes::ProbeOptions& /*options*/) override { return {}; }
  void begin_trial(std::string_view trial) noexcept override { trial_ = trial; }
  void end_trial() noexcept override {
    samples_ = probes::read_gpu_samples(DLBENCH_RECORDED "/gpu_samples_synthetic.json");
  }
  [[nodiscard]] const probes::GpuSamples* device_samples() const override {
    return trial_ == "synthetic/device" ? &samples_ : nullptr;
  }
  [[nodiscard]] probes::ProbeValues collect(std::string_view /*trial*/) const override {
    return {true, {}, {}};
  }

 private:
  std::string trial_;
  probes::GpuSamples samples_;
};

const probes::ProbeRegistration kSampling("sampling_replay",
                                          [] { return std::make_unique<SamplingReplay>(); });

// Opens, and is refused when recording begins, as where counters are an administrator's.
class RefusedProbe final : public probes::Probe {
 public:
  [[nodiscard]] const probes::ProbeSpec& spec() const override {
    static const probes::ProbeSpec spec{
        .name = "refused", .description = "may not look", .device = "fake", .own_repetition = true};
    return spec;
  }
  [[nodiscard]] std::string open(const probes::ProbeOptions& /*options*/) override { return {}; }
  void begin_trial(std::string_view /*trial*/) noexcept override { ++windows; }
  void end_trial() noexcept override {}
  [[nodiscard]] bool refused_for_good() const override { return windows > 0; }
  [[nodiscard]] probes::ProbeValues collect(std::string_view /*trial*/) const override {
    return {false, "only administrators may look", {}};
  }

  static thread_local int windows;  // a rank is a thread
};

thread_local int RefusedProbe::windows = 0;

const probes::ProbeRegistration kRefused("refused",
                                         [] { return std::make_unique<RefusedProbe>(); });

// Notes how many steps were on their way when those that count began.
class AllWorkProbe final : public probes::Probe {
 public:
  [[nodiscard]] const probes::ProbeSpec& spec() const override {
    static const probes::ProbeSpec spec{.name = "all_work",
                                        .description = "counts whatever the device does",
                                        .device = "fake",
                                        .own_repetition = true,
                                        .counts_all_work = true};
    return spec;
  }
  [[nodiscard]] std::string open(const probes::ProbeOptions& /*options*/) override { return {}; }
  void begin_trial(std::string_view /*trial*/) noexcept override {}
  void begin_steps() noexcept override { on_their_way_at_begin = on_their_way; }
  void end_trial() noexcept override {}
  [[nodiscard]] probes::ProbeValues collect(std::string_view /*trial*/) const override {
    return {true, {}, {}};
  }

  static int on_their_way;
  static int on_their_way_at_begin;
};

int AllWorkProbe::on_their_way = 0;
int AllWorkProbe::on_their_way_at_begin = -1;

const probes::ProbeRegistration kAllWork("all_work",
                                         [] { return std::make_unique<AllWorkProbe>(); });

/// A device with two steps on their way.
class AheadArm final : public Arm {
 public:
  AheadArm() : Arm({reports::TrialKind::kSynthetic, "device"}) {}
  void prepare() override {}
  std::optional<StepSample> step() override {
    return ++AllWorkProbe::on_their_way > 2 ? drain() : std::nullopt;
  }
  std::optional<StepSample> drain() override {
    if (AllWorkProbe::on_their_way == 0) {
      return std::nullopt;
    }
    --AllWorkProbe::on_their_way;
    return StepSample{.samples = 2};
  }
  void finish() override {}
};

class CountingArm final : public Arm {
 public:
  explicit CountingArm(TrialId id) : Arm(std::move(id)) {}
  void prepare() override {}
  std::optional<StepSample> step() override { return StepSample{.samples = 2}; }
  void finish() override {}
};

class InterruptedArm final : public Arm {
 public:
  InterruptedArm() : Arm({reports::TrialKind::kFull, ""}) {}
  void prepare() override {}
  std::optional<StepSample> step() override {
    throw core::Error(core::ErrorCode::kInterrupted, "Ctrl-C");
  }
  void finish() override {}
};

/// A run of io, synthetic/device, synthetic/host, full and a loader beside steps, each with steps
/// of a second, as claimed.
class ProfileArms : public ::testing::Test {
 protected:
  ProfileArms() : runner_(group_, guard_) {
    for (const TrialId& id : {TrialId{reports::TrialKind::kIo, ""},
                              TrialId{reports::TrialKind::kSynthetic, "device"},
                              TrialId{reports::TrialKind::kSynthetic, "host"},
                              TrialId{reports::TrialKind::kFull, ""},
                              TrialId{reports::TrialKind::kInterference, "loader_beside_step"}}) {
      arms_.push_back(std::make_unique<CountingArm>(id));
      reports::TrialRecord& trial = record_.trials.emplace_back();
      trial.kind = id.kind;
      if (!id.variant.empty()) {
        trial.variant = id.variant;
      }
      trial.step_time_s = reports::StepTimeRecord{.median = 1.0};
      trial.repetitions = {{.steps = 2, .wall_s = 2.0}};
    }
    probes_.collect(record_);
  }

  /// What it says on stderr.
  std::string profile(const ProfilingRequest& request) {
    ::testing::internal::CaptureStderr();
    shares_ = profile_arms(group_, probes_, runner_, arms_, request, record_);
    return ::testing::internal::GetCapturedStderr();
  }

  [[nodiscard]] json report() const { return json::parse(reports::to_json(record_)); }

  RunGuard guard_{std::nullopt};
  comm::LoneRank alone_;
  RankGroup group_{alone_};
  UntimedRunner runner_;
  std::vector<std::unique_ptr<Arm>> arms_;
  reports::RunRecord record_;
  ProbeSet probes_{{.kind = "fake"}};
  std::optional<UntracedShares> shares_;
  tests::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "trace.json";
};

TEST(MemoryShare, IsThatOfACopyOnTheDevice) {
  reports::TrialRecord timed;
  timed.repetitions = {{.discarded = "disturbed", .steps = 1, .wall_s = 9.0},
                       {.steps = 3, .wall_s = 1.0},
                       {.steps = 1, .wall_s = 1.0}};
  reports::ValueMap counters{{"dram_read_bytes_per_step", 6e9},
                             {"dram_written_bytes_per_step", 2e9}};
  std::vector<reports::PeakRecord> peaks = {{.memory_bytes_per_s = 64e9, .source = "datasheet"},
                                            {.memory_bytes_per_s = 32e9, .source = "measured"}};
  EXPECT_DOUBLE_EQ(memory_share(timed, counters, peaks).value(), 0.5);
  peaks.pop_back();
  EXPECT_FALSE(memory_share(timed, counters, peaks).has_value()) << "no copy was measured";
  peaks.front().source = "measured";
  counters["dram_written_bytes_per_step"] = reports::Value();
  EXPECT_FALSE(memory_share(timed, counters, peaks).has_value()) << "half of the bytes";
  counters["dram_written_bytes_per_step"] = 2e9;
  EXPECT_TRUE(memory_share(timed, counters, peaks).has_value());
  timed.repetitions.resize(1);
  EXPECT_FALSE(memory_share(timed, counters, peaks).has_value()) << "nothing counts";
}

TEST_F(ProfileArms, GivesTheTrialsOfADeviceItsRecordsAndTheTimelineItsTracks) {
  const std::string said =
      profile({.seconds = 0.001, .trace_file = file_.string(), .ops = {{3, {"conv1", "forward"}}}});

  ASSERT_TRUE(shares_.has_value());
  EXPECT_NEAR(shares_->busy, 0.42, 1e-9) << "faster than the timed steps: nothing to correct";
  EXPECT_NEAR(shares_->launch_idle, 0.15 + 0.22, 1e-9);
  EXPECT_FALSE(shares_->replayed) << "two of six records are of a graph";
  const json report = this->report();
  const json& values = report.at("trials").at(1).at("probes");
  for (const char* of_own_repetitions : {"replaying", "sampling_replay", "refused"}) {
    EXPECT_EQ(record_.trials[0].probes.count(of_own_repetitions), 0U) << "io has no device";
    EXPECT_EQ(record_.trials[4].probes.count(of_own_repetitions), 0U) << "its steps are batches";
    EXPECT_EQ(record_.trials[3].probes.count(of_own_repetitions), 1U);
  }
  EXPECT_EQ(values.at("replaying").at("kernels").at(1).at("op"), "conv1");
  EXPECT_LT(values.at("replaying").at("slowdown_share"), 0.0) << "a step of a second was claimed";
  EXPECT_NEAR(values.at("replaying").at("untraced").at("launch_idle_share"), 0.37, 1e-9);
  EXPECT_TRUE(report.at("trials")
                  .at(2)
                  .at("probes")
                  .at("replaying")
                  .at("untraced")
                  .at("launch_idle_share")
                  .is_null())
      << "a third of its records is lost";
  EXPECT_EQ(values.at("sampling_replay").at("samples"), 4);
  EXPECT_LT(values.at("sampling_replay").at("slowdown_share"), 0.0);
  EXPECT_EQ(said,
            "warning: probe refused does not measure: only administrators may look\n"
            "warning: probe replaying: 2 nodes of a graph were recorded and 3 captured: which op a "
            "node runs is not known\n");
  EXPECT_EQ(report.at("probes").at("refused"),
            (json{{"available", false}, {"reason", "only administrators may look"}}));
  EXPECT_EQ(report.at("probes").at("replaying").at("available"), true);
  ASSERT_EQ(record_.run.taints.size(), 3U);
  for (const reports::TaintRecord& taint : record_.run.taints) {
    EXPECT_EQ(taint.code, reports::Taint::kDroppedProfilerRecords);
  }
  EXPECT_EQ(record_.run.taints[0].where, "trial synthetic/host");
  EXPECT_EQ(record_.run.taints[0].detail, "3 records of replaying are lost");
  EXPECT_EQ(record_.run.taints[1].where, "trial full");
  EXPECT_THAT(record_.run.taints[1].detail, ::testing::StartsWith("1 record"));
  EXPECT_EQ(record_.run.taints[2].where, "trial synthetic/device");
  EXPECT_EQ(record_.run.taints[2].detail,
            "2 samples of sampling_replay are lost: its means are of the others");

  std::ifstream stream(file_);
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
  EXPECT_EQ(tracks,
            (std::set<std::string>{"main",
                                   "GPU stream 7",
                                   "GPU stream 8",
                                   "GPU stream 9",
                                   "GPU synchronization",
                                   "GPU overhead"}));
  EXPECT_EQ(counters,
            (std::map<std::string, std::vector<double>>{
                {"GPU sm_active_share", {0.0, 0.2, 0.4, 0.0, 0.6, 0.8, 1.0, 0.0}},
                {"GPU dram_read_bytes_per_s", {0.0, 1e12, 0.0, 0.0, 3e12, 2e12, 5e11, 0.0}}}));
}

TEST_F(ProfileArms, MakesNoMoreRepetitionsForAProbeThatIsRefusedForGood) {
  RefusedProbe::windows = 0;
  ProbeSet refused({.kind = "fake"}, {.choice = ProbeChoice("refused")});
  static_cast<void>(profile_arms(group_, refused, runner_, arms_, {.seconds = 0.001}, record_));
  EXPECT_EQ(RefusedProbe::windows, 1);
  const json trials = report().at("trials");
  for (const std::size_t trial : {1U, 2U, 3U}) {
    EXPECT_EQ(trials.at(trial).at("probes").at("refused"),
              (json{{"available", false}, {"reason", "only administrators may look"}}))
        << "no slowdown_share of what did not measure";
  }
}

TEST_F(ProfileArms, TellsWhatTheTimelineHasAndLost) {
  profile({.seconds = 0.001, .trace_file = file_.string()});
  json timeline = report().at("probes").at("timeline");
  EXPECT_EQ(timeline.at("available"), true);
  EXPECT_GT(timeline.at("recorded_events"), 10);
  EXPECT_EQ(timeline.at("dropped_events"), 0);
  record_.run.taints.clear();
  profile({.seconds = 0.001, .trace_file = file_.string(), .max_events = 10});
  timeline = report().at("probes").at("timeline");
  EXPECT_EQ(timeline.at("recorded_events"), 10);
  EXPECT_GT(timeline.at("dropped_events"), 0);
  const auto lost = [](const reports::TaintRecord& taint) { return taint.where == "timeline"; };
  const auto& taints = record_.run.taints;
  ASSERT_EQ(std::count_if(taints.begin(), taints.end(), lost), 1) << "of both repetitions on it";
  const auto taint = std::find_if(taints.begin(), taints.end(), lost);
  EXPECT_EQ(taint->code, reports::Taint::kDroppedProfilerRecords);
  EXPECT_EQ(taint->detail,
            std::to_string(timeline.at("dropped_events").get<int>()) +
                " regions did not fit into the trace");
}

TEST_F(ProfileArms, WhatCountsAllWorkBeginsOnAnIdleDevice) {
  arms_.clear();
  arms_.push_back(std::make_unique<AheadArm>());
  ProbeSet counting({.kind = "fake"}, {.choice = ProbeChoice("all_work")});
  static_cast<void>(profile_arms(group_, counting, runner_, arms_, {.seconds = 0.001}, record_));
  EXPECT_EQ(AllWorkProbe::on_their_way_at_begin, 0);
}

// --capture-steps: a tool beside the run has the profiler.
TEST_F(ProfileArms, LeavesOutWhatNeedsAProfilerThatSomebodyElseHas) {
  const std::string said = profile(
      {.seconds = 0.001, .profiler_taken = "somebody has it", .trace_file = file_.string()});
  EXPECT_FALSE(shares_.has_value());
  EXPECT_THAT(said,
              ::testing::StartsWith(
                  "warning: probes left out (replaying, sampling_replay): somebody has it\n"));
  for (const char* probe : {"replaying", "sampling_replay"}) {
    EXPECT_EQ(report().at("probes").at(probe),
              (json{{"available", false}, {"reason", "somebody has it"}}));
    EXPECT_EQ(record_.trials[1].probes.count(probe), 0U);
  }
  EXPECT_EQ(record_.trials[1].probes.count("refused"), 1U) << "needs no profiler";
  EXPECT_TRUE(record_.run.taints.empty());
  EXPECT_TRUE(std::filesystem::exists(file_)) << "the timeline of the host is drawn all the same";
}

TEST_F(ProfileArms, WhatEndsThemLeavesTheTimeline) {
  arms_.push_back(std::make_unique<InterruptedArm>());
  ProbeSet replaying({.kind = "fake"}, {.choice = ProbeChoice("replaying")});
  const ProfilingRequest request{.seconds = 0.001, .trace_file = file_.string()};
  EXPECT_THROW((void)profile_arms(group_, replaying, runner_, arms_, request, record_),
               core::Error);
  std::ifstream stream(file_);
  EXPECT_FALSE(json::parse(stream).at("traceEvents").empty());
  EXPECT_GT(report().at("probes").at("timeline").at("recorded_events"), 0);
}

// Nothing waits: all ranks make the same repetitions.
TEST(ProfileArmsOfRanks, AProbeThatOneRankHasNotIsLeftOutOnAll) {
  ::testing::internal::CaptureStderr();
  testing::on_ranks(2, [](comm::Rendezvous& ranks) {
    RunGuard guard(std::nullopt);
    RankGroup group(ranks);
    UntimedRunner runner(group, guard);
    std::vector<std::unique_ptr<Arm>> arms;
    arms.push_back(
        std::make_unique<CountingArm>(TrialId{reports::TrialKind::kSynthetic, "device"}));
    reports::RunRecord record;
    record.trials.emplace_back().kind = reports::TrialKind::kSynthetic;
    record.trials[0].variant = "device";
    ProbeSet probes({.kind = "fake"},
                    {.choice = ProbeChoice(ranks.rank() == 0 ? "refused,replaying" : "refused")});
    static_cast<void>(profile_arms(group, probes, runner, arms, {.seconds = 0.001}, record));
    EXPECT_EQ(record.trials[0].probes.count("refused"), 1U);
    EXPECT_EQ(record.trials[0].probes.count("replaying"), 0U);
    EXPECT_EQ(record.probes.count("replaying"), ranks.rank() == 0 ? 1U : 0U);
  });
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      ::testing::HasSubstr(
          "probe replaying is left out on all ranks: rank 1: not asked for: --probes refused"));
}

TEST(TieGraphNodes, FollowsTheOrderOfCaptureOrClaimsNothing) {
  probes::GpuTrace trace;
  for (const std::int64_t node : {700, 705, 701, 700, 0}) {
    trace.activities.push_back({.kind = probes::GpuActivityKind::kKernel, .graph_node = node});
  }
  trace.correlation_op[0] = -2;  // of the call that launched it all
  EXPECT_FALSE(probes::tie_graph_nodes(trace, {1, 2}));
  EXPECT_TRUE(trace.graph_node_op.empty());
  EXPECT_EQ(trace.op_of(trace.activities[1]), -1) << "and not of the launch";
  EXPECT_TRUE(probes::tie_graph_nodes(trace, {11, 11, 12}));
  EXPECT_EQ(trace.op_of(trace.activities[1]), 12);
  EXPECT_EQ(trace.op_of(trace.activities[2]), 11);
  EXPECT_EQ(trace.op_of(trace.activities[4]), -2) << "no node of a graph";
}

TEST(TieGraphNodes, ClaimsNothingWhereNumbersAreNotTheOrderOfWork) {
  probes::GpuTrace trace;
  const auto add = [&trace](std::int64_t begin_ns, std::int64_t stream, std::int64_t node) {
    trace.activities.push_back({.kind = probes::GpuActivityKind::kKernel,
                                .begin_ns = begin_ns,
                                .stream = stream,
                                .graph_node = node});
  };
  add(10, 7, 700);
  add(5, 9, 701);  // of another stream
  add(20, 7, 702);
  add(110, 7, 700);  // the next launch
  EXPECT_TRUE(probes::tie_graph_nodes(trace, {1, 2, 3}));
  for (std::int64_t node = 703; node < 708; ++node) {
    add(node, 7, node);
  }
  add(15, 7, 708);  // a branch of its own that is told as the same stream
  EXPECT_TRUE(probes::tie_graph_nodes(trace, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  add(17, 7, 709);
  add(16, 7, 710);
  add(14, 7, 711);
  trace.graph_node_op.clear();
  EXPECT_FALSE(probes::tie_graph_nodes(trace, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_TRUE(trace.graph_node_op.empty());
  EXPECT_THAT(trace.graph_nodes.untied_reason(), ::testing::HasSubstr("another order"));
}

}  // namespace
}  // namespace dlbench::harness
