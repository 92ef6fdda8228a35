// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/conv_tuning.h"

#include "engine/core/error.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Times = std::vector<std::optional<double>>;

TEST(ChooseFastest, KeepsTheFirstUnlessAnotherGainsEnough) {
  EXPECT_EQ(choose_fastest(Times{1.0, 0.98, 0.975}, 0.03), 0U);
  EXPECT_EQ(choose_fastest(Times{1.0, 0.98, 0.9}, 0.03), 2U);
  // Neither of the first two is beaten by more than the gain: the order decides between them.
  EXPECT_EQ(choose_fastest(Times{1.0, 0.51, 0.50}, 0.03), 1U);
}

TEST(ChooseFastest, LeavesOutWhatHasNoTime) {
  EXPECT_EQ(choose_fastest(Times{std::nullopt, 2.0, 1.99}, 0.03), 1U);
  EXPECT_EQ(choose_fastest(Times{std::nullopt, std::nullopt}, 0.03), std::nullopt);
  EXPECT_EQ(choose_fastest(Times{}, 0.03), std::nullopt);
  EXPECT_EQ(choose_fastest(Times{0.0, 0.0}, 0.03), 0U);
}

TEST(RunsPerSample, FillASampleWithinBounds) {
  const TuningPolicy policy{.sample_s = 0.5e-3, .most_runs = 64};
  EXPECT_EQ(runs_per_sample(20e-6, policy), 25);
  EXPECT_EQ(runs_per_sample(3e-3, policy), 1);
  EXPECT_EQ(runs_per_sample(1e-7, policy), 64);
  EXPECT_EQ(runs_per_sample(0.0, policy), 64);
}

/// Candidates with given seconds per run, and what was asked of them.
struct Candidates {
  std::vector<double> run_s;
  std::map<std::size_t, std::string> refusals{};
  std::vector<std::size_t> order{};
  std::vector<int> runs{};
  /// Factor of the nth trial of all.
  std::map<std::size_t, double> disturbed{};

  [[nodiscard]] Tuned tune(const TuningPolicy& policy = {}) {
    return cuda::tune(
        run_s.size(),
        [this](std::size_t index, int count) {
          const auto factor = disturbed.find(order.size());
          order.push_back(index);
          runs.push_back(count);
          const auto refusal = refusals.find(index);
          return refusal != refusals.end()
                     ? Trial{.refusal = refusal->second}
                     : Trial{.seconds = run_s[index] * count *
                                        (factor == disturbed.end() ? 1.0 : factor->second)};
        },
        policy);
  }
};

TEST(Tune, TakesTurnsInRoundsAfterAFirstLook) {
  Candidates candidates{.run_s = {100e-6, 60e-6}};
  EXPECT_EQ(candidates.tune().best, 1U);
  EXPECT_THAT(candidates.order, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_THAT(candidates.runs, ElementsAre(1, 1, 5, 9, 5, 9, 5, 9));
}

TEST(Tune, OneDisturbedRoundDecidesNothing) {
  Candidates candidates{.run_s = {50e-6, 60e-6}};
  for (const std::size_t trial : {2U, 4U, 6U}) {  // of candidate 0, in each of the rounds
    candidates.order.clear();
    candidates.disturbed = {{trial, 10.0}};
    EXPECT_EQ(candidates.tune().best, 0U) << trial;
  }
}

TEST(Tune, LeavesWhatIsHopelessAfterTheFirstLook) {
  Candidates candidates{.run_s = {1e-3, 50e-3, 1.5e-3}};
  EXPECT_EQ(candidates.tune().best, 0U);
  EXPECT_THAT(candidates.order, ElementsAre(0, 1, 2, 0, 2, 0, 2, 0, 2));
}

TEST(Tune, BeginsNoFurtherRoundOnceItTookLong) {
  Candidates candidates{.run_s = {0.03, 0.04}};  // 0.21 s for the first look, 0.14 s for a round
  EXPECT_EQ(candidates.tune({.problem_s = 0.25}).best, 0U);
  EXPECT_THAT(candidates.order, ElementsAre(0, 1, 0, 1));
  Candidates slower{.run_s = {0.04, 0.05}};  // 0.27 s with the run that is checked, else 0.18 s
  EXPECT_EQ(slower.tune({.problem_s = 0.25}).best, 0U);
  EXPECT_THAT(slower.order, ElementsAre(0, 1));
}

// What --autotune on costs a network with as many problems and candidates as resunetpp has.
TEST(Tune, OfAWholeNetworkStaysBelow35Seconds) {
  constexpr int kProblems = 106;
  for (const double run_s : {5e-6, 100e-6, 1e-3, 4e-3, 20e-3}) {
    Candidates candidates{.run_s = std::vector<double>(8, run_s)};
    (void)candidates.tune();
    const std::set<std::size_t> checked(candidates.order.begin(), candidates.order.end());
    double total_s = static_cast<double>(checked.size()) * run_s;
    for (const int runs : candidates.runs) {
      total_s += run_s * (runs + 1);
    }
    EXPECT_LT(kProblems * total_s, 35.0) << run_s;
  }
}

TEST(Tune, TellsWhoDoesNotRunAndTakesTheOthers) {
  Candidates candidates{.run_s = {1e-6, 2e-6, 3e-6}, .refusals = {{0, "no"}}};
  const Tuned tuned = candidates.tune();
  EXPECT_EQ(tuned.best, 1U);
  EXPECT_THAT(tuned.refusals, ElementsAre("no", "", ""));
  Candidates none{.run_s = {1e-6, 2e-6}, .refusals = {{0, "no"}, {1, "nor this"}}};
  EXPECT_EQ(none.tune().best, std::nullopt);
}

TEST(Tune, LeavesOutWhoIsRefusedInALaterRound) {
  int trials = 0;
  const Tuned tuned = tune(2,
                           [&](std::size_t index, int runs) -> Trial {
                             if (++trials > 4 && index == 0) {
                               return {.refusal = "not twice"};
                             }
                             return {.seconds = (index == 0 ? 1e-6 : 2e-6) * runs};
                           },
                           {});
  EXPECT_EQ(tuned.best, 1U);
  EXPECT_THAT(tuned.refusals, ElementsAre("not twice", ""));
}

TEST(Affordable, IsWhatGetsAlongWithTheLargestWorkspaceThatIsGranted) {
  const std::vector<std::size_t> sizes{100, 0, 400, 100, 50};
  std::vector<std::size_t> asked;
  const auto up_to = [&](std::size_t most) {
    return [&asked, most](std::size_t bytes) {
      asked.push_back(bytes);
      return bytes <= most;
    };
  };
  EXPECT_THAT(affordable(sizes, up_to(1000)), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(asked, ElementsAre(400));
  EXPECT_THAT(affordable(sizes, up_to(100)), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(affordable(sizes, up_to(0)), ElementsAre(1));
  EXPECT_TRUE(affordable(sizes, [](std::size_t) { return false; }).empty());
}

class ChooseThatRuns : public ::testing::Test {
 protected:
  ChooseThatRuns() {
    options_.tuning_cache = folder_.file("tuning.txt");
    options_.autotune = false;
  }

  [[nodiscard]] std::string refusal_of(std::size_t candidate) const {
    const auto found = refusals_.find(candidate);
    return found == refusals_.end() ? "" : found->second;
  }

  /// The last one that runs is the fastest.
  [[nodiscard]] std::optional<Tuned> time(std::span<const std::size_t> candidates) {
    ++timed_;
    if (!has_memory_) {
      return std::nullopt;
    }
    Tuned tuned{.best = std::nullopt, .refusals = {}};
    for (std::size_t position = 0; position < candidates.size(); ++position) {
      tuned.refusals.push_back(refusal_of(candidates[position]));
      if (tuned.refusals.back().empty()) {
        tuned.best = position;
      }
    }
    return tuned;
  }

  [[nodiscard]] std::size_t choose() {
    Choices choices(options_, "machine");
    const std::size_t chosen = choose_that_runs(choices,
                                                {"node|forward", "conv forward"},
                                                names_,
                                                {.tune = [this](auto left) { return time(left); },
                                                 .try_out =
                                                     [this](std::size_t candidate) {
                                                       tried_.push_back(candidate);
                                                       return refusal_of(candidate);
                                                     }});
    choices.save();
    return chosen;
  }

  tests::TemporaryFolder folder_;
  LoweringOptions options_;
  std::vector<std::string> names_{"a", "b", "c"};
  std::map<std::size_t, std::string> refusals_;
  std::vector<std::size_t> tried_;
  int timed_ = 0;
  bool has_memory_ = true;
};

TEST_F(ChooseThatRuns, TriesTheFirstAndGoesOnToTheNext) {
  EXPECT_EQ(choose(), 0U);
  EXPECT_THAT(tried_, ElementsAre(0));
  refusals_ = {{0, "not on this chip"}, {1, "nor this"}};
  tried_.clear();
  EXPECT_EQ(choose(), 2U);
  EXPECT_THAT(tried_, ElementsAre(0, 1, 2));
  EXPECT_EQ(timed_, 0);
}

TEST_F(ChooseThatRuns, ListsEveryReasonIfNoneRuns) {
  refusals_ = {{0, "first reason"}, {1, "second reason"}, {2, "third reason"}};
  for (const bool autotune : {false, true}) {
    options_.autotune = autotune;
    try {
      (void)choose();
      ADD_FAILURE() << "a plan that does not run was chosen";
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kLibrary);
      EXPECT_STREQ(
          error.what(),
          "none of the plans for conv forward can be taken; a: first reason; b: second reason; "
          "c: third reason");
    }
  }
}

TEST_F(ChooseThatRuns, DoesNotTryWhatWasTimed) {
  options_.autotune = true;
  EXPECT_EQ(choose(), 2U);
  EXPECT_TRUE(tried_.empty());
  // The next run remembers it, and tries it once.
  EXPECT_EQ(choose(), 2U);
  EXPECT_EQ(timed_, 1);
  EXPECT_THAT(tried_, ElementsAre(2));
  // On a driver where it runs no longer, the others are timed.
  refusals_ = {{2, "no longer"}};
  EXPECT_EQ(choose(), 1U);
  EXPECT_EQ(timed_, 2);
}

TEST_F(ChooseThatRuns, RemembersNothingThatCouldNotBeTimed) {
  options_.autotune = true;
  has_memory_ = false;
  EXPECT_EQ(choose(), 0U);
  EXPECT_THAT(tried_, ElementsAre(0));
  has_memory_ = true;
  EXPECT_EQ(choose(), 2U);
}

TEST_F(ChooseThatRuns, PutsNothingInThePlaceOfADecision) {
  options_.decisions = {{"node|forward", "b"}};
  EXPECT_EQ(choose(), 1U);
  EXPECT_THAT(tried_, ElementsAre(1));
  refusals_ = {{1, "not on this chip"}};
  try {
    (void)choose();
    ADD_FAILURE() << "another plan was chosen than decided";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUnavailable);
    EXPECT_THAT(error.what(), HasSubstr("'b' for node|forward cannot be followed"));
    EXPECT_THAT(error.what(), HasSubstr("b: not on this chip"));
  }
}

// The question whether the run has ended is asked between candidates; the answer ends the tuning.
TEST(Tune, IsEndedByWhatATrialThrows) {
  int trials = 0;
  EXPECT_THROW((void)tune(3,
                          [&](std::size_t, int) -> Trial {
                            if (++trials == 2) {
                              throw std::runtime_error("the run has ended");
                            }
                            return {.seconds = 1e-6};
                          },
                          {}),
               std::runtime_error);
  EXPECT_EQ(trials, 2);
}

}  // namespace
}  // namespace dlbench::backend::cuda
