// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the clock of a repetition begins.
#include "engine/comm/rendezvous.h"
#include "harness/session/run_guard.h"
#include "harness/trials/arm.h"
#include "harness/trials/rank_group.h"
#include "harness/trials/trial_runner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

/// Of which five batches are ready when the clock is to start; wants repetitions of six.
class AheadArm final : public Arm {
 public:
  AheadArm() : Arm({reports::TrialKind::kIo, ""}) {}
  void prepare() override { surplus_ = 5; }
  [[nodiscard]] std::int64_t surplus() const override { return surplus_; }
  void use_up(std::int64_t batches) override {
    used_up += batches;
    surplus_ = 0;
  }
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return StepSample{.samples = 1};
  }
  void finish() override {}
  [[nodiscard]] std::int64_t min_steps() const override { return 6; }

  std::int64_t used_up = 0;

 private:
  std::int64_t surplus_ = 0;
};

/// Takes its time to prepare the warm-up, and 50 ms for each repetition of a millisecond.
class SlowToPrepareArm final : public Arm {
 public:
  explicit SlowToPrepareArm(std::chrono::milliseconds warm_up)
      : Arm({reports::TrialKind::kIo, ""}), next_(warm_up) {}
  void prepare() override {
    std::this_thread::sleep_for(std::exchange(next_, std::chrono::milliseconds(50)));
  }
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return StepSample{.samples = 1};
  }
  void finish() override {}

 private:
  std::chrono::milliseconds next_;
};

/// Of which the very first step lasts 50 ms, and whose queue gains a batch a step.
class SlowToStartArm final : public Arm {
 public:
  SlowToStartArm() : Arm({reports::TrialKind::kIo, ""}) {}
  void prepare() override {}
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(steps_ == 0 ? std::chrono::milliseconds(50)
                                            : std::chrono::milliseconds(1));
    ++steps_;
    return StepSample{.samples = 1};
  }
  void finish() override {}
  [[nodiscard]] std::optional<std::int64_t> queue_fill() const override { return steps_; }

 private:
  std::int64_t steps_ = 0;
};

/// The same, with steps that prepare() makes, of which `ahead` are on their way at any time.
class FirstStepInPrepare final : public Arm {
 public:
  explicit FirstStepInPrepare(int ahead) : Arm({reports::TrialKind::kIo, ""}), ahead_(ahead) {}
  void prepare() override {
    step_untimed(3);
    on_their_way_ = 0;
  }
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(std::exchange(next_, std::chrono::milliseconds(1)));
    return ++on_their_way_ > ahead_ ? drain() : std::nullopt;
  }
  std::optional<StepSample> drain() override {
    if (on_their_way_ == 0) {
      return std::nullopt;
    }
    --on_their_way_;
    return StepSample{.samples = 1};
  }
  void finish() override {}

 private:
  int ahead_;
  int on_their_way_ = 0;
  std::chrono::milliseconds next_{50};
};

TEST(TrialTiming, TheFirstStepIsTheVeryFirst) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  for (const int ahead : {0, 1, 5}) {
    TrialRunner runner({}, group, guard);
    std::vector<std::unique_ptr<Arm>> arms;
    arms.push_back(std::make_unique<FirstStepInPrepare>(ahead));
    static_cast<void>(runner.warm_up(arms, 1.0));
    EXPECT_GE(runner.results().front().warmup.first_step_s.value(), 0.05) << ahead;
  }
}

TEST(TrialTiming, TheFirstStepAndTheQueueAreToldAsTheyWere) {
  RunnerOptions options;
  options.stopping.min_repetitions = 1;
  options.stopping.max_time_s = 0.001;
  options.steps = 4;
  options.max_discards = 0;
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  TrialRunner runner(options, group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<SlowToStartArm>());
  runner.run(arms);
  const TrialResult& result = runner.results().front();
  EXPECT_GE(result.warmup.first_step_s.value(), 0.05);
  const reports::RepetitionRecord& repetition = result.repetitions.front();
  const reports::QueueFillRecord fill = repetition.queue_fill.value();
  EXPECT_GE(fill.start, result.warmup.steps);
  EXPECT_EQ(fill.end, fill.start + repetition.steps);
}

TEST(TrialTiming, TheShareOfATimeBudgetIsForAllOfTheWarmUp) {
  // A third of nine seconds, less what preparing took.
  for (const auto& [budget_s, least_s, most_s] :
       {std::tuple<std::optional<double>, double, double>{std::nullopt, 30.0, 30.0},
        {9.0, 1.0, 1.9}}) {
    RunnerOptions options;
    options.stopping.min_repetitions = 1;
    options.stopping.max_time_s = 60.0;
    options.stopping.max_repetitions = 1;
    options.steps = 1;
    options.time_budget_s = budget_s;
    RunGuard guard(std::nullopt);
    comm::LoneRank alone;
    RankGroup group(alone);
    TrialRunner runner(options, group, guard);
    std::vector<std::unique_ptr<Arm>> arms;
    arms.push_back(std::make_unique<SlowToPrepareArm>(std::chrono::milliseconds(1100)));
    runner.run(arms);
    const std::string& rule = runner.results().front().warmup.rule;
    const double limit_s = std::stod(rule.substr(rule.rfind("or ") + 3));
    EXPECT_GE(limit_s, least_s) << rule;
    EXPECT_LE(limit_s, most_s) << rule;
  }
}

TEST(TrialTiming, MaxTimeCountsWhatIsBeforeTheClock) {
  RunnerOptions options;
  options.stopping.min_repetitions = 1;
  options.stopping.max_noise = 1e-9;
  options.stopping.max_time_s = 0.15;
  options.steps = 1;
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  TrialRunner runner(options, group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<SlowToPrepareArm>(std::chrono::milliseconds(0)));
  runner.run(arms);
  EXPECT_LE(runner.results().front().repetitions.size(), 3U);
}

TEST(TrialTiming, GivesNoBatchForNothingWhereStepsForbidsToLengthen) {
  RunnerOptions options;
  options.stopping.min_repetitions = 3;
  options.stopping.max_time_s = 0.001;
  options.steps = 4;
  options.max_discards = 0;
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  TrialRunner runner(options, group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<AheadArm>());
  runner.run(arms);
  const TrialResult& result = runner.results().front();
  const auto repetitions = static_cast<std::int64_t>(result.repetitions.size());
  EXPECT_EQ(static_cast<AheadArm&>(*arms.front()).used_up, 5 * repetitions);
  for (const auto& repetition : result.repetitions) {
    EXPECT_EQ(repetition.samples, 6) << "--steps is 4";
  }
}

}  // namespace
}  // namespace dlbench::harness
