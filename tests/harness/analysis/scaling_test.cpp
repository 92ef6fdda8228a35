// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/scaling.h"

#include "reports/statistics_records.h"
#include "reports/validation/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::IsEmpty;

/// A round of `steps` steps in which rank r always takes rank_s[r].
ScalingRound steady_round(std::int64_t number,
                          const std::vector<double>& rank_s,
                          std::int64_t global_batch,
                          std::int64_t steps = 10) {
  ScalingRound round;
  round.round = number;
  round.steps = steps;
  round.samples = steps * global_batch;
  double slowest = 0.0;
  for (const double time : rank_s) {
    round.step_wall_s.emplace_back(static_cast<std::size_t>(steps), time);
    slowest = std::max(slowest, time);
  }
  round.samples_per_second = static_cast<double>(global_batch) / slowest;
  return round;
}

/// One and two ranks of 4 samples; the machine is 10 % slower in the second round, and again in the
/// third. One rank: 0.1 s. Two: compute 0.1 and 0.14 s, a step of 0.15 s with communication.
ScalingInput drifting_input() {
  ScalingInput input;
  input.mode = "weak";
  ScalingSize one;
  one.local_batch_sizes = {4};
  one.arms = {{"synthetic", {}}};
  ScalingSize two;
  two.local_batch_sizes = {4, 4};
  two.hosts = {"a", "b"};
  two.arms = {{"synthetic", {}}, {"synthetic/nocomm", {}}};
  for (std::int64_t round = 0; round < 3; ++round) {
    const double drift = std::pow(1.1, static_cast<double>(round));
    one.arms[0].rounds.push_back(steady_round(round, {0.1 * drift}, 4));
    two.arms[0].rounds.push_back(steady_round(round, {0.15 * drift, 0.15 * drift}, 8));
    // Seconds of 2 x 10 steps: an all-reduce takes 20 ms of which the step waits for 5, after 7 for
    // late ranks; broadcasts take 1.
    two.arms[0].rounds.back().communication = {.collectives = 60,
                                               .transfer_s = 0.42 * drift,
                                               .exposed_s = 0.26 * drift,
                                               .exposed_transfer_s = 0.12 * drift,
                                               .all_reduce_s = 0.4 * drift,
                                               .exposed_all_reduce_s = 0.1 * drift};
    two.arms[1].rounds.push_back(steady_round(round, {0.1 * drift, 0.14 * drift}, 8));
  }
  input.sizes = {two, one};
  return input;
}

/// The trials of the input's arms, as the report has them beside the series.
std::vector<reports::TrialRecord> trials_of(const ScalingInput& input) {
  std::vector<reports::TrialRecord> trials;
  for (const ScalingSize& size : input.sizes) {
    for (const ScalingArm& arm : size.arms) {
      reports::TrialRecord& trial = trials.emplace_back();
      trial.kind = reports::TrialKind::kSynthetic;
      if (arm.trial == "synthetic/nocomm") {
        trial.variant = "nocomm";
      }
      trial.series = input.mode;
      trial.ranks = static_cast<std::int64_t>(size.local_batch_sizes.size());
      trial.batch_size_per_rank = size.local_batch_sizes.front();
      trial.global_batch_size = trial.ranks * trial.batch_size_per_rank;
      std::vector<double> rates;
      std::vector<double> step_s;
      for (const ScalingRound& round : arm.rounds) {
        rates.push_back(round.samples_per_second);
        step_s.insert(step_s.end(), round.step_wall_s[0].begin(), round.step_wall_s[0].end());
        trial.repetitions.push_back(
            {.index = round.round,
             .round = round.round,
             .steps = round.steps,
             .samples = round.samples,
             .wall_s = static_cast<double>(round.samples) / round.samples_per_second,
             .samples_per_second = round.samples_per_second,
             .step_wall_s = round.step_wall_s[0]});
      }
      trial.throughput = reports::ThroughputRecord{*reports::rate_summary(rates)};
      trial.step_time_s = reports::step_time_record(step_s);
    }
  }
  return trials;
}

TEST(Scaling, RatiosArePairedByRoundSoThatDriftCancels) {
  const auto record = summarize_scaling(drifting_input());
  EXPECT_EQ(record.baseline_ranks, 1);
  ASSERT_EQ(record.points.size(), 2U);
  EXPECT_EQ(record.points[0].efficiency->mean, 1.0);
  EXPECT_FALSE(record.points[0].efficiency->ci95.has_value());
  const auto& two = record.points[1];
  EXPECT_NEAR(two.efficiency->mean, 0.1 / 0.15, 1e-12);
  EXPECT_NEAR(two.speedup->mean, 2.0 * 0.1 / 0.15, 1e-12);
  EXPECT_NEAR((*two.speedup->ci95)[0], two.speedup->mean, 1e-9) << "drift is not noise";
  EXPECT_EQ(two.headline, "synthetic");
  EXPECT_EQ(two.global_batch_size, 8);
  EXPECT_EQ(two.trials[0].samples, 240);
  EXPECT_EQ(two.trials[0].steps, 30);
  EXPECT_EQ(two.step_time_s->n, 30);
}

TEST(Scaling, TheCostOfCommunicationIsWaitingAndTransfer) {
  const auto record = summarize_scaling(drifting_input());
  const auto& two = record.points[1];
  const double drift = (1.0 + 1.1 + 1.21) / 3.0;
  EXPECT_NEAR(*two.nocomm_s, 0.12 * drift, 1e-12);
  EXPECT_NEAR(*two.exposed_communication_s, 0.03 * drift, 1e-12);
  EXPECT_NEAR(*two.waiting_s, 0.02 * drift, 1e-12);
  EXPECT_NEAR(*two.transfer_s, 0.01 * drift, 1e-12);
  EXPECT_LT((*two.transfer_ci95)[0], *two.transfer_s);
  EXPECT_EQ(two.slowest_rank, 1);
  EXPECT_EQ(two.slowest_host, "b");
  EXPECT_EQ(two.slowest_share, 1.0);
  EXPECT_NEAR(two.slowest_lost_share.value(), 0.04 / 0.14, 1e-12);
  EXPECT_FALSE(record.points[0].exposed_communication_s.has_value()) << "one rank";
}

TEST(Scaling, WhatIsMissingHasAReason) {
  ScalingInput input = drifting_input();
  auto record = summarize_scaling(input);
  const auto& one = record.points[0].missing.value();
  for (const char* const key : {"nocomm_s", "all_reduce_s", "in_step", "slowest_rank"}) {
    EXPECT_EQ(one.at(key), "one rank has no communication") << key;
  }
  EXPECT_EQ(one.at("attribution"), "it needs the trials io, synthetic and full");
  EXPECT_FALSE(record.points[0].slowest_host.has_value());
  EXPECT_FALSE(record.points[1].missing->contains("nocomm_s"));
  for (ScalingSize& size : input.sizes) {
    std::erase_if(size.arms, [](const auto& arm) { return arm.trial == "synthetic/nocomm"; });
    size.all_reduce_alone_s = std::vector{0.017, 0.018};
  }
  record = summarize_scaling(input);
  EXPECT_EQ(record.points[1].missing->at("nocomm_s"),
            "it needs the trials synthetic and synthetic/nocomm");
  EXPECT_TRUE(record.points[1].all_reduce_s.has_value()) << "it needs no trial";
  input.sizes.front().all_reduce_alone_s =
      AllReducesAlone::missing("the communicator has no clocks");
  EXPECT_EQ(summarize_scaling(input).points[1].missing->at("all_reduce_s"),
            "the communicator has no clocks");
}

// As a size is left by a run that ended early: trials were asked for, and not all came to count.
TEST(Scaling, WhatIsMissingWasAskedForInVain) {
  ScalingInput input = drifting_input();
  ScalingSize& two = input.sizes.front();
  two.arms.push_back({.trial = "io", .rounds = two.arms[0].rounds});
  two.arms.push_back({.trial = "full", .rounds = {}});
  const auto missing_of_two = [&input] {
    return summarize_scaling(input).points[1].missing.value();
  };
  EXPECT_EQ(missing_of_two().at("attribution"),
            "it needs the trials io, synthetic and full, but no repetition of full counts");
  two.arms[1].rounds.clear();
  EXPECT_EQ(
      missing_of_two().at("nocomm_s"),
      "it needs the trials synthetic and synthetic/nocomm, but no repetition of synthetic/nocomm "
      "counts");
  two.arms[0].trial = "synthetic/device";
  two.arms[0].rounds.clear();
  EXPECT_EQ(
      missing_of_two().at("attribution"),
      "it needs the trials io, synthetic and full, but no repetition of synthetic, full counts");
  two.arms.erase(two.arms.begin());
  EXPECT_EQ(missing_of_two().at("attribution"), "it needs the trials io, synthetic and full")
      << "nocomm is no synthetic trial that a verdict could be made with";
}

TEST(Scaling, TheClocksSayWhatIsHiddenAndWhatBlocksTheStep) {
  ScalingInput input = drifting_input();
  input.sizes.front().all_reduce_alone_s = std::vector{0.017, 0.018, 0.019};
  const auto record = summarize_scaling(input);
  const auto& two = record.points[1];
  ASSERT_TRUE(two.in_step.has_value());
  const double drift = (1.0 + 1.1 + 1.21) / 3.0;
  EXPECT_NEAR(two.in_step->all_reduce_s.mean, 0.020 * drift, 1e-12);
  EXPECT_NEAR(two.in_step->exposed_all_reduce_s.mean, 0.005 * drift, 1e-12);
  EXPECT_NEAR(two.in_step->waiting_s.mean, 0.007 * drift, 1e-12);
  EXPECT_NEAR(two.in_step->other_collectives_s.mean, 0.001 * drift, 1e-12);
  EXPECT_NEAR(two.in_step->contention_s.mean, (0.030 - 0.013) * drift, 1e-12)
      << "what communication adds to the step without blocking it";
  EXPECT_NEAR(*two.overlap, 0.75, 1e-12);
  EXPECT_NEAR((*two.overlap_ci95)[0], 0.75, 1e-9) << "the ratio is the same in every round";
  EXPECT_NEAR(*two.all_reduce_s, 0.018, 1e-12);
  EXPECT_LT((*two.all_reduce_ci95)[0], 0.018);
  EXPECT_FALSE(record.points[0].in_step.has_value()) << "one rank";
}

TEST(Scaling, IntervalsOfTimesEndAtNothing) {
  ScalingInput input = drifting_input();
  ScalingSize& two = input.sizes.front();
  two.all_reduce_alone_s = std::vector{0.001, 0.009};  // 0.005 +- 0.051
  double factor = 0.01;
  for (ScalingRound& round : two.arms[0].rounds) {
    comm::CommunicationTotals& spent = round.communication;
    for (double* const time_s : {&spent.transfer_s,
                                 &spent.exposed_s,
                                 &spent.exposed_transfer_s,
                                 &spent.all_reduce_s,
                                 &spent.exposed_all_reduce_s}) {
      *time_s *= factor;
    }
    factor *= 10.0;
  }
  const auto record = summarize_scaling(input);
  const auto& point = record.points[1];
  EXPECT_NEAR(point.all_reduce_s.value(), 0.005, 1e-12);
  EXPECT_EQ(point.all_reduce_ci95.value()[0], 0.0);
  const reports::StepCollectivesRecord& in_step = point.in_step.value();
  EXPECT_EQ(in_step.all_reduce_s.ci95.value()[0], 0.0);
  EXPECT_EQ(in_step.exposed_all_reduce_s.ci95.value()[0], 0.0);
  EXPECT_EQ(in_step.waiting_s.ci95.value()[0], 0.0);
  EXPECT_EQ(in_step.other_collectives_s.ci95.value()[0], 0.0);
}

TEST(Scaling, WhatItSaysPassesTheReportsArithmetic) {
  reports::RunRecord run;
  run.run.status = reports::RunStatus::kPartial;
  run.scaling = {summarize_scaling(drifting_input())};
  run.trials = trials_of(drifting_input());
  std::vector<std::string> problems;
  for (const reports::Problem& problem : reports::check_arithmetic(run)) {
    if (problem.path.starts_with("scaling")) {  // the trials have no more than that looks at
      problems.push_back(problem.path + ": " + problem.message);
    }
  }
  EXPECT_THAT(problems, IsEmpty());
}

TEST(Scaling, ANegativeDifferenceIsLeftNegative) {
  std::vector<ScalingRound> synthetic;
  std::vector<ScalingRound> nocomm;
  for (std::int64_t round = 0; round < 3; ++round) {
    synthetic.push_back(steady_round(round, {0.100, 0.100}, 8));
    nocomm.push_back(steady_round(round, {0.101, 0.101}, 8));
  }
  const auto cost = communication_cost(synthetic, nocomm).value();
  EXPECT_NEAR(cost.exposed.estimate, -0.001, 1e-12);
  EXPECT_NEAR(cost.transfer.estimate, -0.001, 1e-12);
  EXPECT_FALSE(cost.in_step.has_value()) << "no clocks";
}

TEST(Scaling, RoundsThatOnlyOneTrialHasDoNotCount) {
  std::vector<ScalingRound> synthetic = {steady_round(0, {0.2, 0.2}, 8),
                                         steady_round(2, {9.0, 9.0}, 8)};
  std::vector<ScalingRound> nocomm = {steady_round(0, {0.1, 0.1}, 8),
                                      steady_round(1, {7.0, 7.0}, 8)};
  const auto cost = communication_cost(synthetic, nocomm).value();
  EXPECT_NEAR(cost.exposed.estimate, 0.1, 1e-12);
  EXPECT_EQ(cost.exposed.n, 1);
  synthetic.erase(synthetic.begin());
  EXPECT_FALSE(communication_cost(synthetic, nocomm).has_value());
}

TEST(Scaling, UnevenBatchesAreSummedNotRounded) {
  ScalingInput input = drifting_input();
  input.mode = "strong";
  input.sizes[0].local_batch_sizes = {4, 3};
  input.sizes[1].local_batch_sizes = {7};
  const auto record = summarize_scaling(input);
  EXPECT_EQ(record.points[1].global_batch_size, 7);
  EXPECT_EQ(record.points[1].batch_size_per_rank, 4);
  EXPECT_EQ(record.points[0].global_batch_size, 7);
}

TEST(Scaling, WithoutCommonRoundsTheRatioHasNoInterval) {
  ScalingInput input = drifting_input();
  for (ScalingRound& round : input.sizes[1].arms[0].rounds) {
    round.round += 100;
  }
  const auto record = summarize_scaling(input);
  EXPECT_NEAR(record.points[1].efficiency->mean, 0.1 / 0.15, 1e-12);
  EXPECT_FALSE(record.points[1].efficiency->ci95.has_value());
}

TEST(Scaling, FullIsTheHeadlineWhereItRan) {
  ScalingInput input = drifting_input();
  for (ScalingSize& size : input.sizes) {
    ScalingArm full = size.arms[0];
    full.trial = "full";
    size.arms.insert(size.arms.begin(), full);
    size.arms.push_back({"io", {}});  // nothing that counts
  }
  const auto record = summarize_scaling(input);
  EXPECT_EQ(record.points[1].headline, "full");
  EXPECT_EQ(record.points[1].trials.size(), 3U) << "an arm without rounds is left out";
}

TEST(SlowestRank, IsTheOneThatIsLateMostOften) {
  // Rank 2 is last in 8 of 10 steps by 0.1 s, rank 0 in the others by 0.5 s.
  ScalingRound round = steady_round(0, {0.2, 0.2, 0.2}, 12);
  for (std::size_t step = 0; step < 10; ++step) {
    round.step_wall_s[step < 8 ? 2 : 0][step] += step < 8 ? 0.1 : 0.5;
  }
  const auto late = slowest_rank({round}, {"a", "b", "c"}).value();
  EXPECT_EQ(late.rank, 2);
  EXPECT_EQ(late.host, "c");
  EXPECT_NEAR(late.late_share, 0.8, 1e-12);
  EXPECT_NEAR(late.lost_share, 0.8 / (8 * 0.3 + 2 * 0.7), 1e-12);
  EXPECT_FALSE(slowest_rank({steady_round(0, {0.1}, 4)}, {}).has_value());
}

TEST(Scaling, TheSlowestRankOfAStepMayBeAnyOfThem) {
  const std::vector<ScalingRound> synthetic = {steady_round(0, {2.5, 3.5}, 8)};
  for (const auto& ranks : {std::vector<double>{2.0, 1.0}, std::vector<double>{1.0, 2.0}}) {
    const auto cost = communication_cost(synthetic, {steady_round(0, ranks, 8)}).value();
    EXPECT_NEAR(cost.nocomm_s, 1.5, 1e-12);
    EXPECT_NEAR(cost.exposed.estimate, 1.5, 1e-12) << "the mean over ranks";
    EXPECT_NEAR(cost.waiting.estimate, 0.5, 1e-12);
    EXPECT_NEAR(cost.transfer.estimate, 1.0, 1e-12);
  }
}

TEST(Scaling, StepsThatNotAllRanksHaveDoNotCount) {
  ScalingRound round;
  round.step_wall_s = {{1.0, 1.0, 7.0}, {1.0, 1.0}};
  EXPECT_EQ(common_steps(round), 2U);
  EXPECT_NEAR(communication_cost({round}, {round})->nocomm_s, 1.0, 1e-12);
  std::swap(round.step_wall_s[0], round.step_wall_s[1]);
  EXPECT_EQ(common_steps(round), 2U);
}

TEST(Scaling, EfficiencyIsAgainstTheFewestRanksThereAre) {
  ScalingInput input;
  input.mode = "weak";
  input.sizes.resize(2);
  input.sizes[0].local_batch_sizes = {4, 4};
  input.sizes[1].local_batch_sizes = {4, 4, 4, 4};
  input.sizes[0].arms = {{"synthetic", {steady_round(0, {0.3, 0.3}, 8)}}};
  input.sizes[1].arms = {{"synthetic", {steady_round(0, std::vector<double>(4, 0.4), 16)}}};
  const auto record = summarize_scaling(input);
  EXPECT_EQ(record.baseline_ranks, 2);
  EXPECT_NEAR(record.points.at(1).speedup->mean, 1.5, 1e-12);
  EXPECT_NEAR(record.points.at(1).efficiency->mean, 0.75, 1e-12);
}

TEST(Scaling, ASingleRoundHasNoInterval) {
  ScalingInput input = drifting_input();
  for (ScalingSize& size : input.sizes) {
    for (ScalingArm& arm : size.arms) {
      arm.rounds.resize(1);
    }
  }
  const auto record = summarize_scaling(input);
  const auto& two = record.points.at(1);
  ASSERT_TRUE(two.exposed_communication_s.has_value());
  EXPECT_FALSE(two.exposed_communication_ci95.has_value());
  EXPECT_NEAR(two.in_step->all_reduce_s.mean, 0.02, 1e-12);
  EXPECT_FALSE(two.in_step->all_reduce_s.ci95.has_value());
  EXPECT_NEAR(two.overlap.value(), 0.75, 1e-12);
  EXPECT_FALSE(two.overlap_ci95.has_value());
}

}  // namespace
}  // namespace dlbench::harness
