// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How many steps the runner gives a repetition, of arms whose steps are not alike.
#include "engine/core/clock.h"
#include "harness/trials/trial_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

RunnerOptions planned_options() {
  RunnerOptions options;
  options.stopping.min_repetitions = 3;
  options.stopping.max_time_s = 0.001;
  options.max_discards = 0;
  return options;
}

// Its third step lasts `slow`, and every eighth from there; it may say that a loader was waited
// for.
class UnevenArm final : public Arm {
 public:
  UnevenArm(std::chrono::milliseconds slow, bool once, bool waits)
      : Arm({reports::TrialKind::kFull, ""}), slow_(slow), once_(once), waits_(waits) {}
  void prepare() override { between_.emplace_back(Clock::now()); }
  std::optional<StepSample> step() override {
    between_.back().end = Clock::now();
    const bool slow = once_ ? steps_ == 2 : steps_ % 8 == 2;
    std::this_thread::sleep_for(slow ? slow_ : std::chrono::microseconds(200));
    ++steps_;
    between_.emplace_back(Clock::now());
    return StepSample{.samples = 1};
  }
  void finish() override { between_.back().end = Clock::now(); }
  [[nodiscard]] std::int64_t burst() const override { return waits_ ? 8 : 1; }
  [[nodiscard]] std::optional<data::LoaderStats> loader_stats() const override {
    return data::LoaderStats{.wait_s = waits_ ? 1e6 : 0.0};
  }

  /// At least what the caller can have timed of any step but the third.
  [[nodiscard]] double longest_other_step_s() const {
    double longest = 0.0;
    for (std::size_t step = 0; step + 1 < between_.size(); ++step) {
      if (step != 2) {
        longest = std::max(longest, core::seconds(between_[step + 1].end - between_[step].begin));
      }
    }
    return longest;
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// From the end of one step to the begin of the next, where the caller's clock stops and starts.
  struct Between {
    explicit Between(Clock::time_point time) : begin(time), end(time) {}
    Clock::time_point begin;
    Clock::time_point end;
  };

  std::chrono::nanoseconds slow_;
  bool once_;
  bool waits_;
  std::int64_t steps_ = 0;
  std::vector<Between> between_;
};

TEST(TrialRunnerPlan, PlansFromStepsLikeTheOthersUnlessBatchesComeInBursts) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  RunnerOptions free = planned_options();
  free.warmup_steps = 24;
  TrialRunner runner(free, group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  constexpr std::chrono::milliseconds kRecording{1000};
  auto recording = std::make_unique<UnevenArm>(kRecording, true, false);
  const UnevenArm& recorded = *recording;
  arms.push_back(std::move(recording));
  arms.push_back(std::make_unique<UnevenArm>(std::chrono::milliseconds(80), false, true));
  const std::vector<TrialEstimate> estimates = runner.warm_up(arms, 10.0);
  EXPECT_LE(estimates[0].step_s, recorded.longest_other_step_s()) << "a recording is no step";
  EXPECT_GE(1.001 * static_cast<double>(estimates[0].min_steps) * estimates[0].step_s, 0.1)
      << "the shortest repetition";
  EXPECT_GT(estimates[1].step_s, 0.005) << "a burst is eight steps";
  EXPECT_EQ(estimates[1].multiple, 8);
}

// Says what its prefetch queue hides.
class QueuedArm final : public Arm {
 public:
  QueuedArm() : Arm({reports::TrialKind::kIo, ""}) {}
  void prepare() override {}
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return StepSample{.samples = 1};
  }
  void finish() override {}
  [[nodiscard]] std::int64_t min_steps() const override { return 60; }
};

// A floor that the plan does not know of breaks the time budget.
TEST(TrialRunnerPlan, KnowsOfThePrefetchQueue) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  RunnerOptions quick = planned_options();
  quick.min_time_s = 0.001;
  TrialRunner runner(quick, group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<QueuedArm>());
  EXPECT_EQ(runner.warm_up(arms, 10.0).at(0).min_steps, 60);
}

// As under a CPU quota: most steps are short, and warm-up plans with those.
class BimodalArm final : public Arm {
 public:
  BimodalArm() : Arm({reports::TrialKind::kSynthetic, ""}) {}
  void prepare() override {}
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(steps_ % 4 == 3 ? std::chrono::milliseconds(40)
                                                : std::chrono::milliseconds(1));
    ++steps_;
    return StepSample{.samples = 1};
  }
  void finish() override {}

 private:
  std::int64_t steps_ = 0;
};

/// Runs an arm within a time budget; returns its repetitions.
struct WithinBudget {
  double budget_s;
  double min_time_s;
  std::int64_t repetitions;

  [[nodiscard]] std::vector<reports::RepetitionRecord> run(std::unique_ptr<Arm> arm) const {
    RunGuard guard(std::nullopt);
    comm::LoneRank alone;
    RankGroup group(alone);
    RunnerOptions options = planned_options();
    options.warmup_steps = 12;
    options.min_time_s = min_time_s;
    options.time_budget_s = guard.elapsed_s() + budget_s;
    options.stopping.max_time_s = 60.0;
    options.stopping.min_repetitions = repetitions;
    options.stopping.max_noise = 1e-9;
    TrialRunner runner(options, group, guard);
    std::vector<std::unique_ptr<Arm>> arms;
    arms.push_back(std::move(arm));
    runner.run(arms);
    return runner.results().front().repetitions;
  }
};

TEST(TrialRunnerPlan, ShortensWhatTookLongerThanWarmUpSaid) {
  const auto repetitions = WithinBudget{.budget_s = 2.0, .min_time_s = 0.2, .repetitions = 5}.run(
      std::make_unique<BimodalArm>());
  ASSERT_GE(repetitions.size(), 2U) << "the first took the whole budget, but an interval takes two";
  EXPECT_GT(repetitions[0].steps, 50) << "as if every step took a millisecond";
  EXPECT_LT(repetitions[1].steps, repetitions[0].steps / 2);
}

// As where another program begins in mid-run.
class SlowerLaterArm final : public Arm {
 public:
  SlowerLaterArm() : Arm({reports::TrialKind::kSynthetic, ""}) {}
  void prepare() override { ++prepared_; }
  std::optional<StepSample> step() override {
    constexpr int kWarmUpAndTwoRepetitions = 3;
    std::this_thread::sleep_for(prepared_ > kWarmUpAndTwoRepetitions
                                    ? std::chrono::milliseconds(30)
                                    : std::chrono::milliseconds(1));
    return StepSample{.samples = 1};
  }
  void finish() override {}

 private:
  int prepared_ = 0;
};

TEST(TrialRunnerPlan, ShortensWhatBecomesSlowerInAnyRound) {
  const auto repetitions = WithinBudget{.budget_s = 2.0, .min_time_s = 0.1, .repetitions = 8}.run(
      std::make_unique<SlowerLaterArm>());
  ASSERT_GE(repetitions.size(), 4U);
  // The third was the first slow one. As few as this are planned where all are slow.
  constexpr std::int64_t kFew = 5;
  EXPECT_LE(repetitions[3].steps, std::max(kFew, repetitions[2].steps / 2));
}

}  // namespace
}  // namespace dlbench::harness
