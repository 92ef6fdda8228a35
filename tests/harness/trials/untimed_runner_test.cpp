// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Repetitions for probes: what settles before them, which steps are theirs, and what the probe
// cost.
#include "harness/trials/untimed_runner.h"

#include "engine/core/trace.h"
#include "harness/trials/profiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::harness {
namespace {

namespace trace = core::trace;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Optional;

// A device that has two steps on its way. It says that step n lasted n seconds, and had n samples.
class PipelinedArm final : public Arm {
 public:
  explicit PipelinedArm(std::vector<std::string>& log)
      : Arm({reports::TrialKind::kSynthetic, "device"}), log_(log) {}
  void prepare() override { log_.emplace_back("prepare"); }
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(lasts);
    log_.push_back("start " + std::to_string(++started_));
    return started_ - told_ > 2 ? drain() : std::nullopt;
  }
  std::optional<StepSample> drain() override {
    if (told_ == started_) {
      return std::nullopt;
    }
    ++told_;
    return StepSample{.samples = told_, .step_s = static_cast<double>(told_)};
  }
  void finish() override { log_.emplace_back("finish"); }

  [[nodiscard]] std::int64_t on_their_way() const { return started_ - told_; }

  std::chrono::milliseconds lasts{0};

 private:
  std::vector<std::string>& log_;
  std::int64_t started_ = 0;
  std::int64_t told_ = 0;
};

/// Notes when regions of steps begin.
class StepSink final : public trace::Sink {
 public:
  explicit StepSink(std::vector<std::string>& log) : log_(log) { trace::set_sink(this); }
  ~StepSink() override { trace::set_sink(nullptr); }
  void begin(const trace::RegionInfo& region) noexcept override {
    if (region.category == trace::Category::kStep) {
      log_.push_back("region " + std::to_string(region.id));
    }
  }
  void end(const trace::RegionInfo& /*region*/) noexcept override {}
  void name_thread(std::string_view /*name*/) noexcept override {}
  void map_captured_node(std::uint64_t /*node*/, std::int64_t /*op*/) noexcept override {}

 private:
  std::vector<std::string>& log_;
};

class RunUntimed : public ::testing::Test {
 protected:
  RunUntimed() : runner_(group_, guard_) { arms_.push_back(std::make_unique<PipelinedArm>(log_)); }

  reports::RepetitionRecord run(const UntimedLength& length) {
    const auto note = [this](const char* what) {
      return [this, what](const TrialId& id) {
        log_.push_back(std::string(what) + " " + id.to_string());
      };
    };
    return runner_
        .run(arms_,
             length,
             {.begin = note("begin"), .begin_steps = note("begin_steps"), .end = note("end")})
        .front();
  }

  [[nodiscard]] PipelinedArm& arm() { return static_cast<PipelinedArm&>(*arms_.front()); }

  std::vector<std::string> log_;
  RunGuard guard_{std::nullopt};
  comm::LoneRank alone_;
  RankGroup group_{alone_};
  UntimedRunner runner_;
  std::vector<std::unique_ptr<Arm>> arms_;
};

TEST_F(RunUntimed, SettlesBehindTheProbesBeginAndBeforeTheStepsThatCount) {
  const StepSink sink(log_);
  arm().lasts = std::chrono::milliseconds(1);
  const auto repetition = run({.min_s = 1.0, .steps = 2, .max_s = 0.0, .settling_steps = 3});
  EXPECT_GE(repetition.steps, 1);
  ASSERT_GE(log_.size(), 8U);
  const std::vector<std::string> head(log_.begin(), log_.begin() + 8);
  EXPECT_THAT(head,
              ElementsAre("prepare",
                          "begin synthetic/device",
                          "start 1",
                          "start 2",
                          "start 3",
                          "begin_steps synthetic/device",
                          "region 0",
                          "start 4"));
  EXPECT_EQ(log_[log_.size() - 2], "end synthetic/device");
  EXPECT_EQ(log_.back(), "finish");
}

TEST_F(RunUntimed, AnArmThatNobodyWantsMakesNoStep) {
  const auto repetitions = runner_.run(
      arms_, {.min_s = 1.0, .steps = 2}, {.wants = [](const TrialId& /*id*/) { return false; }});
  ASSERT_EQ(repetitions.size(), 1U) << "one for each arm";
  EXPECT_EQ(repetitions.front().steps, 0);
  EXPECT_THAT(log_, ElementsAre());
}

TEST_F(RunUntimed, CountsNoStepThatSettled) {
  const auto repetition = run({.min_s = 0.0, .steps = 4, .max_s = 60.0, .settling_steps = 3});
  EXPECT_EQ(repetition.steps, 4);
  EXPECT_THAT(repetition.step_wall_s, ElementsAre(2.0, 3.0, 4.0, 5.0))
      << "there was no time to settle but for the first";
  EXPECT_EQ(repetition.samples, 2 + 3 + 4 + 5);
}

// Of two steps on their way a probe that counts all work would see what no step of its window did.
TEST_F(RunUntimed, WaitsForWhatSettlesWhereAllWorkCounts) {
  for (const bool waits : {false, true}) {
    std::int64_t on_their_way = -1;
    static_cast<void>(runner_.run(
        arms_,
        {.min_s = 0.001, .settling_steps = 5, .waits_for_settling = waits},
        {.begin_steps = [&](const TrialId& /*id*/) { on_their_way = arm().on_their_way(); }}));
    EXPECT_EQ(on_their_way, waits ? 0 : 2);
  }
}

TEST_F(RunUntimed, SlowStepsEndWithTheTimeAndFewOfThemSettle) {
  arm().lasts = std::chrono::milliseconds(20);
  const auto repetition = run({.min_s = 0.03, .steps = 50, .max_s = 0.07, .settling_steps = 10});
  EXPECT_LE(repetition.steps, 4);
  EXPECT_GE(repetition.steps, 1);
  EXPECT_LE(repetition.step_wall_s.front(), 3.0) << "two may settle in 30 ms, and none more";
}

TEST_F(RunUntimed, HasItsFewestStepsWhateverTheTime) {
  const auto repetition =
      run({.min_s = 0.0, .steps = 50, .max_s = 1e-9, .min_steps = 3, .settling_steps = 1});
  EXPECT_EQ(repetition.steps, 3);
}

TEST_F(RunUntimed, WithoutAProbeItLastsWhatItLasted) {
  arm().lasts = std::chrono::milliseconds(20);
  const auto repetition = run({.min_s = 0.001});
  EXPECT_EQ(repetition.steps, 1);
  EXPECT_THAT(repetition.step_wall_s, ElementsAre(1.0));
}

// The first steps beside a probe are slow: what it loads and allocates is not what it costs.
TEST(Slowdown, ComparesMediansWithMedians) {
  reports::TrialRecord timed;
  const std::vector<double> profiled{5.0, 0.102, 0.102, 0.101, 0.103};
  EXPECT_EQ(slowdown(timed, profiled), std::nullopt) << "nothing was timed";
  timed.step_time_s = reports::StepTimeRecord{.median = 0.1};
  EXPECT_THAT(slowdown(timed, profiled), Optional(DoubleNear(0.02, 1e-12)));
  EXPECT_EQ(slowdown(timed, {}), std::nullopt);
}

}  // namespace
}  // namespace dlbench::harness
