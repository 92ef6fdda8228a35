// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The runner on several ranks, with arms that only pretend to work.
#include "harness/trials/trial_runner.h"

#include "engine/core/error.h"
#include "harness/trials/repetition_window.h"
#include "harness/trials/trial_summary.h"
#include "harness/utc_time.h"
#include "tests/engine/comm/thread_rendezvous.h"
#include "tests/harness/trials/short_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::on_ranks;
using ::testing::Optional;

// The least that a step of this rank lasts.
double step_s(int rank) { return 200e-6 * (1 + rank); }

class FakeArm final : public Arm {
 public:
  FakeArm(int rank, std::int64_t samples, const std::string& variant = "")
      : Arm({reports::TrialKind::kSynthetic, variant}), rank_(rank), samples_(samples) {}
  void prepare() override {}
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(std::chrono::duration<double>(step_s(rank_)));
    ++steps;
    return StepSample{.samples = samples_, .loss = 1.0 + rank_};
  }
  void finish() override {}
  [[nodiscard]] std::optional<reports::LossScalingRecord> loss_scaling() const override {
    return reports::LossScalingRecord{.loss_scale = 512.0, .skipped_steps = steps};
  }

  [[nodiscard]] int extra_threads() const override { return extra; }

  std::int64_t steps = 0;
  int extra = 0;

 private:
  int rank_;
  std::int64_t samples_;
};

/// Says that it has a loader, which prepares one more batch than is taken and reads 1 GB for each.
class FakeLoaderArm final : public Arm {
 public:
  explicit FakeLoaderArm(std::int64_t min_steps = 1)
      : Arm({reports::TrialKind::kIo, ""}), least(min_steps) {}
  [[nodiscard]] std::int64_t min_steps() const override { return least; }
  void prepare() override {}
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    ++steps;
    return StepSample{.samples = 1};
  }
  void finish() override {}
  [[nodiscard]] std::optional<std::int64_t> queue_fill() const override { return steps; }
  [[nodiscard]] std::optional<data::LoaderStats> loader_stats() const override {
    return data::LoaderStats{.bytes_read_ever = steps * 1'000'000'000,
                             .samples_replaced = replaced};
  }

  std::int64_t steps = 0;
  std::int64_t replaced = 0;  // in each repetition
  std::int64_t least;
};

std::vector<std::string> details(const TrialResult& result, reports::Taint code) {
  std::vector<std::string> details;
  for (const reports::TaintRecord& taint : result.all_taints()) {
    if (taint.code == code) {
      details.push_back(taint.detail);
    }
  }
  return details;
}

TEST(TrialRunnerOnRanks, CorruptSamplesOfAnyRankAreTold) {
  std::vector<std::vector<reports::TaintRecord>> taints(3);
  RunGuard guard(std::nullopt);
  on_ranks(3, [&](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    TrialRunner runner(tests::three_repetitions(), group, guard);
    std::vector<std::unique_ptr<Arm>> arms;
    arms.push_back(std::make_unique<FakeLoaderArm>());
    static_cast<FakeLoaderArm&>(*arms.front()).replaced = ranks.rank() == 1 ? 2 : 0;
    runner.run(arms);
    const TrialResult& result = runner.results().front();
    ASSERT_EQ(details(result, reports::Taint::kSamplesSkipped).size(), 1U);
    taints[static_cast<std::size_t>(ranks.rank())] = result.all_taints();
    EXPECT_EQ(taints[static_cast<std::size_t>(ranks.rank())].back().detail,
              "corrupt samples replaced " + std::to_string(2 * result.rounds.size()) +
                  " times, over all ranks and repetitions");
  });
  for (const std::vector<reports::TaintRecord>& of_rank : taints) {
    ASSERT_FALSE(of_rank.empty());
    EXPECT_EQ(of_rank.back().code, reports::Taint::kSamplesSkipped);
    EXPECT_EQ(of_rank.back().where, "trial io");
  }
}

TEST(TrialResult, CorruptSamplesThatWereMetBeforeTheClockAreToldToo) {
  TrialResult result;
  result.id.kind = reports::TrialKind::kFull;
  EXPECT_TRUE(result.all_taints().empty());
  result.loader.skipped = {{7, "train/images/7.jpg", "truncated JPEG"}};
  const std::vector<reports::TaintRecord> taints = result.all_taints();
  ASSERT_EQ(taints.size(), 1U);
  EXPECT_EQ(taints[0].code, reports::Taint::kSamplesSkipped);
  EXPECT_EQ(taints[0].where, "trial full");
  EXPECT_EQ(taints[0].detail, "corrupt samples replaced before the repetitions that count");
}

TEST(TrialRunnerOnRanks, AllMakeTheSameStepsAndRepetitions) {
  std::vector<std::int64_t> steps(3);
  RunGuard guard(std::nullopt);  // of the process, so of all these ranks
  on_ranks(3, [&](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    TrialRunner runner(tests::three_repetitions(), group, guard);
    std::vector<std::unique_ptr<Arm>> arms;
    arms.push_back(std::make_unique<FakeArm>(ranks.rank(), 2 + ranks.rank()));
    const std::string began = utc_now();
    runner.run(arms);
    const TrialResult& result = runner.results().front();
    steps[static_cast<std::size_t>(ranks.rank())] = static_cast<FakeArm&>(*arms.front()).steps;
    ASSERT_GE(result.repetitions.size(), 3U);
    std::string latest = began;
    for (const auto& repetition : result.repetitions) {
      EXPECT_GE(repetition.started_at.value_or(""), latest) << "texts of equal length";
      latest = repetition.started_at.value_or("");
      EXPECT_LE(latest, utc_now());
      EXPECT_EQ(repetition.steps, 4);
      ASSERT_TRUE(repetition.loss_scaling.has_value());
      EXPECT_EQ(repetition.loss_scaling->loss_scale, 512.0);
      EXPECT_GE(repetition.loss_scaling->skipped_steps, 4) << "asked before the steps";
      EXPECT_EQ(repetition.samples, 4 * (2 + 3 + 4));
      EXPECT_NEAR(repetition.samples_per_second,
                  static_cast<double>(repetition.samples) / repetition.wall_s,
                  1e-6 * repetition.samples_per_second);
      // Losses 1, 2, 3 weighted with 2, 3, 4 samples.
      ASSERT_EQ(repetition.step_loss.size(), 4U);
      EXPECT_DOUBLE_EQ(repetition.step_loss.front(), (1.0 * 2 + 2.0 * 3 + 3.0 * 4) / 9.0);
    }
    for (const RankRound& round : result.rounds) {
      ASSERT_EQ(round.shares.size(), 3U);
      for (std::size_t rank = 0; rank < 3; ++rank) {
        EXPECT_GE(round.shares[rank].wall_s, 4 * step_s(static_cast<int>(rank)));
      }
      EXPECT_EQ(round.step_wall_s.size(), group.speaks() ? 3U : 0U);
    }
  });
  EXPECT_EQ(steps[0], steps[1]);
  EXPECT_EQ(steps[0], steps[2]);
}

TEST(CombineRanks, WhatWasDoneBeforeTheClockIsNoCpuTimeOfTheRepetition) {
  comm::LoneRank alone;
  RankGroup group(alone);
  const RepetitionWindow window{.end = {.steady_s = 1.0, .user_cpu_s = 2.5, .system_cpu_s = 0.5},
                                .untimed_cpu_s = 1.0};
  reports::RepetitionRecord repetition{.steps = 4, .samples = 8, .wall_s = 1.0};
  RankRound ranks;
  static_cast<void>(combine_ranks(group, window, {}, repetition, ranks));
  EXPECT_THAT(repetition.cpu_s, Optional(2.0));
  ASSERT_EQ(ranks.shares.size(), 1U);
  EXPECT_EQ(ranks.shares[0].cpu_s, 2.0);
}

TEST(TrialRunner, TheWarmUpKeepsMaxTimeUnlessABudgetSaysOtherwise) {
  for (const auto& [budget_s, rule] :
       {std::pair<std::optional<double>, const char*>{std::nullopt, "or 5 s"}, {33.0, "or 11 s"}}) {
    RunGuard guard(std::nullopt);
    comm::LoneRank alone;
    RankGroup group(alone);
    RunnerOptions limited = tests::three_repetitions();
    limited.stopping.max_time_s = 5.0;
    limited.stopping.max_noise = 1.0;
    limited.time_budget_s = budget_s;
    TrialRunner runner(limited, group, guard);
    std::vector<std::unique_ptr<Arm>> arms;
    arms.push_back(std::make_unique<FakeArm>(0, 2));
    runner.run(arms);
    EXPECT_THAT(runner.results().front().warmup.rule, HasSubstr(rule));
  }
}

TEST(TrialRunnerOnRanks, OnlyTheTrialWithoutCommunicationIsNotConvergent) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  TrialRunner runner(tests::three_repetitions(), group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<FakeArm>(0, 2));
  arms.push_back(std::make_unique<FakeArm>(0, 2, "nocomm"));
  runner.run(arms);
  EXPECT_TRUE(runner.results()[0].own_taints.empty());
  ASSERT_EQ(runner.results()[1].own_taints.size(), 1U);
  EXPECT_EQ(runner.results()[1].own_taints[0].code, reports::Taint::kNotConvergent);
  // It is what the trial is for, so it is no taint of the run, which --strict looks at.
  EXPECT_TRUE(std::ranges::none_of(runner.results()[1].all_taints(), [](const auto& taint) {
    return taint.code == reports::Taint::kNotConvergent;
  }));
  TrialContext context;
  context.peaks.flop_per_s = 1e12;
  EXPECT_FALSE(summarize_trial(runner.results()[0], context).taints.has_value());
  EXPECT_EQ(summarize_trial(runner.results()[1], context).taints->at(0).code,
            reports::Taint::kNotConvergent);
}

TEST(TrialRunner, ShortensNoRepetitionUntilItSaysNothing) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  RunnerOptions free = tests::three_repetitions();
  free.steps.reset();
  TrialRunner runner(free, group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<FakeArm>(0, 2));
  const std::vector<TrialEstimate> estimates = runner.warm_up(arms, 10.0);
  ASSERT_EQ(estimates.size(), 1U);
  const std::int64_t shortest = estimates.front().min_steps;
  EXPECT_GE(static_cast<double>(shortest) * estimates.front().step_s, 0.1);
  runner.set_steps({4 * shortest}, true);
  runner.shorten(0.5);
  runner.run_round(arms, 0);
  runner.shorten(0.001);
  runner.run_round(arms, 1);
  runner.set_steps({1}, true);
  runner.shorten(0.5);
  runner.run_round(arms, 2);
  const auto& repetitions = runner.results().front().repetitions;
  ASSERT_EQ(repetitions.size(), 3U);
  EXPECT_EQ(repetitions[0].steps, 2 * shortest);
  EXPECT_EQ(repetitions[1].steps, shortest);
  EXPECT_EQ(repetitions[2].steps, 1);
}

TEST(TrialRunner, CountsTheArmsOwnThreads) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  RunnerOptions two = tests::three_repetitions();
  two.cpus = 2;
  two.own_threads = 2;
  const TrialRunner runner(two, group, guard);
  FakeArm arm(0, 2);
  EXPECT_EQ(runner.own_load(arm).threads, 2);
  arm.extra = 1;  // then switches among the three are no evidence of anybody else
  EXPECT_EQ(runner.own_load(arm).threads, 3);
  EXPECT_EQ(runner.own_load(arm).cpus, 2);
}

TEST(TrialRunner, OneRankGoesOnUntilMinTimeHasPassed) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  RunnerOptions free = tests::three_repetitions();
  free.steps.reset();
  free.min_time_s = 0.05;
  TrialRunner runner(free, group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<FakeArm>(0, 2));
  static_cast<void>(runner.warm_up(arms, 10.0));
  runner.set_steps({1}, false);  // as a slow warm-up would plan
  runner.run_round(arms, 0);
  EXPECT_THAT(details(runner.results().front(), reports::Taint::kShortRun), IsEmpty());
  runner.shorten(0.5);
  runner.run_round(arms, 1);
  const auto& repetitions = runner.results().front().repetitions;
  ASSERT_EQ(repetitions.size(), 2U);
  EXPECT_GE(repetitions[0].wall_s, 0.05);
  EXPECT_EQ(repetitions[0].samples, 2 * repetitions[0].steps);
  EXPECT_EQ(repetitions[1].steps, 1) << "shortened on purpose";
  EXPECT_THAT(details(runner.results().front(), reports::Taint::kShortRun),
              ElementsAre(HasSubstr("--time-budget")));
}

TEST(TrialRunner, ATimeBudgetThatShortensIsAShortRunWhoeverPlans) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  RunnerOptions free = tests::three_repetitions();
  free.steps.reset();
  free.min_time_s = 1e-6;  // any step lasts longer
  TrialRunner runner(free, group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<FakeArm>(0, 2));
  static_cast<void>(runner.warm_up(arms, 10.0));
  const auto short_runs = [&] {
    return details(runner.results().front(), reports::Taint::kShortRun);
  };
  runner.set_steps({1}, false);
  runner.shorten(0.5);
  EXPECT_THAT(short_runs(), IsEmpty()) << "a single step cannot be shortened";
  runner.set_steps({8}, false);
  runner.shorten(0.99);
  EXPECT_THAT(short_runs(), ElementsAre("repetitions shortened to fit --time-budget"));
  runner.shorten(0.5);
  EXPECT_EQ(short_runs().size(), 1U);
  TrialRunner planned(free, group, guard);
  static_cast<void>(planned.warm_up(arms, 10.0));
  planned.set_steps({8}, true);
  EXPECT_THAT(details(planned.results().front(), reports::Taint::kShortRun),
              ElementsAre("repetitions shortened to fit --time-budget"));
}

// Steps sleep for less than half a millisecond, but nobody knows how long a busy machine takes.
TEST(TrialRunnerOnRanks, LengthenTogetherWhatWasTooShort) {
  constexpr double kMinS = 0.05;
  std::vector<std::vector<std::int64_t>> steps(2);
  RunGuard guard(std::nullopt);
  for (const std::int64_t discards : {0, 1}) {
    on_ranks(2, [&](comm::Rendezvous& ranks) {
      RankGroup group(ranks);
      RunnerOptions lengthening = tests::three_repetitions();
      lengthening.steps.reset();
      lengthening.min_time_s = kMinS;
      lengthening.max_discards = discards;
      lengthening.stopping.max_time_s = 60.0;
      TrialRunner runner(lengthening, group, guard);
      std::vector<std::unique_ptr<Arm>> arms;
      arms.push_back(std::make_unique<FakeArm>(ranks.rank(), 2));
      static_cast<void>(runner.warm_up(arms, 10.0));
      runner.set_steps({1}, false);
      runner.run_round(arms, 0);
      runner.run_round(arms, 1);
      const TrialResult& result = runner.results().front();
      const auto& first = result.repetitions.front();
      std::vector<std::int64_t>& own = steps[static_cast<std::size_t>(ranks.rank())];
      own.clear();
      for (const auto& repetition : result.repetitions) {
        own.push_back(repetition.steps);
      }
      ASSERT_GE(own.size(), 2U);
      EXPECT_EQ(own.front(), 1);
      if (first.wall_s < kMinS) {
        EXPECT_GT(own[1], 1);
        EXPECT_EQ(first.discarded.has_value(), discards > 0) << "a single step";
      }
      if (first.wall_s < 0.8 * kMinS && discards == 0) {
        EXPECT_THAT(details(result, reports::Taint::kShortRun),
                    ElementsAre(HasSubstr("repetition 0: 1 step(s)")));
      }
    });
    EXPECT_EQ(steps[0], steps[1]);
  }
}

// A single step that was too short is measured again, as a disturbed repetition is.
TEST(TrialRunnerOnRanks, RepeatNothingWhereTheTimeHasPassed) {
  struct Limits {
    double max_time_s;
    std::optional<double> time_budget_s;
    std::size_t repetitions;
  };
  RunGuard guard(std::nullopt);
  for (const Limits& limits :
       {Limits{60.0, std::nullopt, 2}, {60.0, 1e6, 2}, {60.0, 1e-6, 1}, {1e-9, std::nullopt, 1}}) {
    on_ranks(2, [&](comm::Rendezvous& ranks) {
      RankGroup group(ranks);
      RunnerOptions limited = tests::three_repetitions();
      limited.steps.reset();
      limited.min_time_s = 1e3 * step_s(1);
      limited.max_discards = 1;
      limited.stopping.max_time_s = limits.max_time_s;
      limited.time_budget_s = limits.time_budget_s;
      TrialRunner runner(limited, group, guard);
      std::vector<std::unique_ptr<Arm>> arms;
      arms.push_back(std::make_unique<FakeArm>(ranks.rank(), 2));
      static_cast<void>(runner.warm_up(arms, 10.0));
      runner.set_steps({1}, false);
      runner.run_round(arms, 0);
      EXPECT_EQ(runner.results().front().repetitions.size(), limits.repetitions)
          << limits.max_time_s;
      const bool repeated = limits.repetitions > 1;
      EXPECT_EQ(runner.results().front().repetitions.front().discarded.has_value(), repeated);
      // Where its one step was slow, the next repetition has too few of them and is tainted itself.
      EXPECT_EQ(std::ranges::count_if(
                    details(runner.results().front(), reports::Taint::kShortRun),
                    [](const auto& detail) { return detail.starts_with("repetition 0:"); }),
                repeated ? 0 : 1);
    });
  }
}

TEST(TrialRunner, AColdRepetitionEndsWithThePassAndIsChecked) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  RunnerOptions cold = tests::three_repetitions();
  cold.steps = 20;
  cold.cold_pass_steps = 3;
  TrialRunner runner(cold, group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<FakeLoaderArm>());
  arms.push_back(std::make_unique<FakeArm>(0, 2));
  runner.run(arms);
  const TrialResult& io = runner.results()[0];
  ASSERT_GE(io.repetitions.size(), 3U);
  for (const auto& repetition : io.repetitions) {
    EXPECT_EQ(repetition.steps, 3);
  }
  EXPECT_THAT(details(io, reports::Taint::kShortRun),
              Contains(AllOf(HasSubstr("--steps 20"), HasSubstr("have 3"))).Times(1));
  // This process reads next to nothing meanwhile.
  EXPECT_THAT(details(io, reports::Taint::kCacheStateUnknown),
              ElementsAre(HasSubstr("the loader read 3000000000 bytes from files")));
  const TrialResult& synthetic = runner.results()[1];
  EXPECT_EQ(synthetic.repetitions.front().steps, 20);
  EXPECT_THAT(details(synthetic, reports::Taint::kShortRun), IsEmpty());
  EXPECT_THAT(details(synthetic, reports::Taint::kCacheStateUnknown), IsEmpty());
}

TEST(TrialRunner, AColdPassThatIsShorterThanALoaderWantsIsAShortRun) {
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  RunnerOptions cold = tests::three_repetitions();
  cold.steps = 1;
  cold.cold_pass_steps = 3;
  TrialRunner runner(cold, group, guard);
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<FakeLoaderArm>(20));
  runner.run(arms);
  EXPECT_THAT(details(runner.results().front(), reports::Taint::kShortRun),
              Contains(AllOf(HasSubstr("--steps 1 wants 20"), HasSubstr("have 3"))).Times(1));
}

}  // namespace
}  // namespace dlbench::harness
