// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Edges of the rule. What it says of machines whose truth is known is in
// tests/harness/analysis/attribution_test.cpp.
#include "reports/verdict_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::reports {
namespace {

/// Five rounds of `mean`, up and down by `spread` of it. Arms of other `turn`s vary in other
/// rounds.
std::vector<RoundRate> rounds(double mean, double spread = 0.001, int turn = 0) {
  std::vector<RoundRate> arm;
  for (std::int64_t round = 0; round < 5; ++round) {
    const auto place = static_cast<double>((round + turn) % 5) - 2.0;
    arm.push_back({round, mean * (1.0 + 0.5 * spread * place)});
  }
  return arm;
}

VerdictEvidence evidence_of(double io, double synthetic, double full) {
  VerdictEvidence evidence;
  evidence.io = rounds(io, 0.001, 0);
  evidence.synthetic_host = rounds(synthetic, 0.001, 1);
  evidence.full = rounds(full, 0.001, 2);
  return evidence;
}

Decision decided(const VerdictEvidence& evidence) {
  return decide(evidence, part_shares(evidence));
}

TEST(VerdictRule, EveryLoaderThatFullFollowsHasAWord) {
  for (double io = 80.0; io < 100.0; io += 0.25) {
    SCOPED_TRACE(io);
    // full never quite reaches the slower of both.
    const Decision decision = decided(evidence_of(io, 100.0, 0.995 * io));
    EXPECT_EQ(decision.verdict, io < 90.0 ? Verdict::kInputBound : Verdict::kBalanced);
  }
}

TEST(VerdictRule, FullThatIsFasterThanItsLoaderIsADoubtOnlyWhereItSurelyIs) {
  EXPECT_EQ(decided(evidence_of(85.0, 100.0, 95.0)).doubt, Doubt::kFullBeatsLoader);
  // 89.9 and 90.2: the bound lies between them, and noise does.
  VerdictEvidence close = evidence_of(89.9, 100.0, 90.2);
  close.full = rounds(90.2, 0.01, 2);
  EXPECT_EQ(decided(close).doubt, Doubt::kRatioTooWide);
}

TEST(VerdictRule, EqualSidesThatFightForProcessorsAreContention) {
  // One core: a sample takes both, one after the other.
  VerdictEvidence evidence = evidence_of(100.0, 105.0, 51.0);
  evidence.shared_processors = true;
  evidence.loader_cpu_s = 1.0 / 100.0;
  const Decision decision = decided(evidence);
  EXPECT_EQ(decision.verdict, Verdict::kContentionBound);
  EXPECT_NEAR(decision.margin->estimate, 0.49, 0.01);
  // What the loader takes does not explain it.
  evidence.loader_cpu_s = 0.001;
  EXPECT_EQ(decided(evidence).doubt, Doubt::kLittleContention);
  // full follows the slower of both: nothing is lost that contention would have to explain.
  VerdictEvidence follows = evidence_of(91.0, 100.0, 88.0);
  follows.shared_processors = true;
  follows.loader_cpu_s = 1.0 / 100.0;
  EXPECT_EQ(decided(follows).verdict, Verdict::kBalanced);
  // Processors of their own, as a GPU has.
  EXPECT_EQ(decided(evidence_of(100.0, 105.0, 51.0)).verdict, Verdict::kBalanced);
}

TEST(VerdictRule, WhatTheLoaderLimitsNeedsNoSureCommunication) {
  VerdictEvidence evidence = evidence_of(80.0, 100.0, 79.6);
  evidence.nocomm = rounds(130.0, 0.4, 3);
  ASSERT_FALSE(part_shares(evidence).back().counts());
  ASSERT_FALSE(part_shares(evidence).back().does_not_count());
  EXPECT_EQ(decided(evidence).verdict, Verdict::kInputBound);
  evidence.io = rounds(100.0, 0.001, 0);
  evidence.full = rounds(97.0, 0.001, 2);
  EXPECT_EQ(decided(evidence).verdict, Verdict::kBalanced);
  // Where the step limits, it matters what the step spends its time on.
  evidence.io = rounds(300.0, 0.001, 0);
  EXPECT_EQ(decided(evidence).doubt, Doubt::kShareTooWide);
}

// Rates of a run beside other programs: the share of the input is -0.6, its interval -1.9 to 0.1.
TEST(VerdictRule, AShareThatNothingIsKnownOfIsNoneThatDoesNotCount) {
  VerdictEvidence evidence = evidence_of(2136.0, 671.0, 1188.0);
  const std::vector<double> synthetic{759.9, 429.7, 837.2, 670.5, 659.2};
  const std::vector<double> full{1172.4, 635.3, 2140.2, 507.3, 1482.7};
  for (std::size_t round = 0; round < full.size(); ++round) {
    evidence.synthetic_host[round].rate = synthetic[round];
    evidence.full[round].rate = full[round];
  }
  EXPECT_EQ(decided(evidence).verdict, Verdict::kUnsure);
  EXPECT_EQ(decided(evidence).doubt, Doubt::kShareTooWide);
}

/// Rounds 0, 1, ... at these rates.
std::vector<RoundRate> rounds_at(const std::vector<double>& rates, std::int64_t first = 0) {
  std::vector<RoundRate> arm;
  for (const double rate : rates) {
    arm.push_back({first + static_cast<std::int64_t>(arm.size()), rate});
  }
  return arm;
}

// a = log(full / host), b = log(full / device), A and B their means: exp(A) - exp(B) + mean(exp(A)
// (a - A) - exp(B) (b - B)), of which the deviations give the interval: t(2) = 4.302653.
TEST(VerdictRule, TheIntervalOfACopyIsThatOfItsFirstOrderExpansion) {
  VerdictEvidence evidence = evidence_of(100.0, 100.0, 100.0);
  evidence.full = rounds_at({80.0, 90.0, 100.0});
  evidence.synthetic_host = rounds_at({90.0, 100.0, 110.0});
  evidence.synthetic_device = rounds_at({120.0, 100.0, 140.0});
  const PartShare copy = part_shares(evidence).at(1);
  ASSERT_STREQ(copy.name, "copy");
  EXPECT_NEAR(copy.estimate, 0.145341185, 1e-8);
  EXPECT_NEAR(copy.interval->estimate, 0.145341185, 1e-8);
  EXPECT_NEAR(copy.interval->lower, -0.143056482, 1e-7);
  EXPECT_NEAR(copy.interval->upper, 0.433738852, 1e-7);
  EXPECT_EQ(copy.interval->n, 3);
}

TEST(VerdictRule, ArmsWithoutACommonRoundHaveAShareButNoInterval) {
  VerdictEvidence evidence = evidence_of(100.0, 100.0, 100.0);
  evidence.full = rounds_at({50.0}, 1);
  evidence.synthetic_host = rounds_at({60.0}, 2);
  evidence.synthetic_device = rounds_at({100.0}, 3);
  const PartShare copy = part_shares(evidence).at(1);
  EXPECT_NEAR(copy.estimate, 50.0 / 60.0 - 50.0 / 100.0, 1e-12);
  EXPECT_FALSE(copy.interval.has_value());
}

TEST(VerdictRule, WithoutNocommTheStepOnTheDeviceStandsForIt) {
  VerdictEvidence evidence = evidence_of(300.0, 80.0, 70.0);
  EXPECT_NEAR(arm_means(evidence).device, 80.0, 1e-9);
  evidence.synthetic_device = rounds(100.0);
  EXPECT_NEAR(arm_means(evidence).nocomm, 100.0, 1e-9);
}

TEST(VerdictRule, EqualOnAverageIsNotBalancedWhereTheRatioIsWide) {
  VerdictEvidence evidence = evidence_of(100.0, 100.0, 99.5);
  // By a factor of 1.25 up and down: t(4) = 2.776445, a standard deviation of 1.5811 steps.
  const double step = std::log(1.25) * std::sqrt(5.0) / 2.776445 / std::sqrt(2.5);
  for (RoundRate& entry : evidence.io) {
    entry.rate = 100.0 * std::exp(step * (static_cast<double>(entry.round) - 2.0));
  }
  EXPECT_EQ(decided(evidence).doubt, Doubt::kRatioTooWide);
}

/// The rates of a loader: `middle`, by a factor of exp(step) higher or lower from round to round.
/// The interval ends 1.963 steps from its logarithm: t(4) = 2.776445 times sqrt(2.5 / 5).
std::vector<RoundRate> geometric_rounds(double middle, double step) {
  std::vector<RoundRate> arm = rounds(middle);
  for (RoundRate& entry : arm) {
    entry.rate = middle * std::exp(step * (static_cast<double>(entry.round) - 2.0));
  }
  return arm;
}

// By a factor of 1.2 it surely is faster: beyond the bound, but not half as much as on average.
TEST(VerdictRule, ALoaderIsFasterWhereItsIntervalEndsBeyondHalfOfItsRatio) {
  VerdictEvidence evidence = evidence_of(200.0, 100.0, 99.5);
  EXPECT_EQ(decided(evidence).verdict, Verdict::kComputeBound);
  evidence.io = geometric_rounds(200.0, 0.2603);
  EXPECT_EQ(decided(evidence).doubt, Doubt::kRatioTooWide);
  evidence.io = geometric_rounds(200.0, 0.17);  // 1.43 to 2.79
  EXPECT_EQ(decided(evidence).verdict, Verdict::kComputeBound);
}

// By a factor of 0.8 it surely is slower.
TEST(VerdictRule, ALoaderIsSlowerWhereItsIntervalEndsBeyondHalfOfItsRatio) {
  VerdictEvidence evidence = evidence_of(50.0, 100.0, 50.0);
  EXPECT_EQ(decided(evidence).verdict, Verdict::kInputBound);
  evidence.io = geometric_rounds(50.0, 0.2394);
  EXPECT_EQ(decided(evidence).doubt, Doubt::kRatioTooWide);
  evidence.io = geometric_rounds(50.0, 0.17);  // 0.36 to 0.70
  EXPECT_EQ(decided(evidence).verdict, Verdict::kInputBound);
}

// 0.77 to 1.10: the upper bound alone would be one of equal sides.
TEST(VerdictRule, ALoaderThatMayBeSlowerIsNotEqual) {
  VerdictEvidence evidence = evidence_of(92.0, 100.0, 91.5);
  EXPECT_EQ(decided(evidence).verdict, Verdict::kBalanced);
  evidence.io = geometric_rounds(92.0, 0.0912);
  EXPECT_EQ(decided(evidence).doubt, Doubt::kRatioTooWide);
}

TEST(VerdictRule, EqualSidesAreNotBalancedWhereTheInputShareIsWide) {
  VerdictEvidence evidence = evidence_of(100.0, 100.0, 88.0);
  evidence.full = rounds(88.0, 0.3, 2);
  EXPECT_EQ(decided(evidence).doubt, Doubt::kShareTooWide);
}

TEST(VerdictRule, AStragglerIsSurelyLateInMoreThanHalfOfTheStepsAndSurelyCostsSomething) {
  const StragglerEvidence late{.late = {.estimate = 0.6, .lower = 0.51, .upper = 0.69},
                               .lost = {.estimate = 0.2, .lower = 0.11, .upper = 0.29}};
  EXPECT_TRUE(is_straggler(late));
  StragglerEvidence by_turns = late;
  by_turns.late.lower = 0.5;
  EXPECT_FALSE(is_straggler(by_turns));
  StragglerEvidence cheap = late;
  cheap.lost = {.estimate = 0.09, .lower = 0.08, .upper = 0.10};
  EXPECT_FALSE(is_straggler(cheap));
  StragglerEvidence noisy = late;
  noisy.lost.lower = 0.09;
  EXPECT_FALSE(is_straggler(noisy)) << "less than half of the estimate";
}

TEST(VerdictRule, WithoutAStepWithCopiesOnlyAFullAsFastAsItsLoaderIsExplained) {
  VerdictEvidence evidence = evidence_of(60.0, 100.0, 42.0);
  std::swap(evidence.synthetic_host, evidence.synthetic_device);
  EXPECT_EQ(decided(evidence).doubt, Doubt::kCopyNotSeparated);
  evidence.full = rounds(56.0, 0.001, 2);
  EXPECT_EQ(decided(evidence).verdict, Verdict::kInputBound);
}

TEST(VerdictRule, WhatIsLeftToTheStepIsMeasuredAgainstNocomm) {
  VerdictEvidence evidence = evidence_of(300.0, 90.0, 89.0);
  evidence.nocomm = rounds(100.0, 0.001, 3);
  const Decision decision = decided(evidence);
  EXPECT_EQ(decision.verdict, Verdict::kComputeBound);
  EXPECT_NEAR(decision.margin->estimate, 0.89, 1e-4);
}

// Nine tenths of this step may be waiting for the network.
TEST(VerdictRule, AStepOfSeveralRanksThatLimitsNeedsNocomm) {
  VerdictEvidence evidence = evidence_of(300.0, 90.0, 89.0);
  evidence.communicates = true;
  const Decision decision = decided(evidence);
  EXPECT_EQ(decision.doubt, Doubt::kCommunicationNotSeparated);
  EXPECT_EQ(decision.part, "step");
  EXPECT_NEAR(decision.margin->estimate, 89.0 / 90.0, 1e-4);
  VerdictEvidence separated = evidence;
  separated.nocomm = rounds(91.0, 0.001, 3);
  EXPECT_EQ(decided(separated).verdict, Verdict::kComputeBound);
  VerdictEvidence idle = evidence;
  idle.launch_idle = 0.4;
  EXPECT_EQ(decided(idle).verdict, Verdict::kLaunchBound) << "not idle for want of data";

  VerdictEvidence copies = evidence;
  copies.synthetic_device = rounds(120.0, 0.001, 3);
  EXPECT_EQ(decided(copies).doubt, Doubt::kCommunicationNotSeparated) << "which may take more";
  EXPECT_EQ(decided(copies).part, "copy");
  copies.communicates = false;
  EXPECT_EQ(decided(copies).verdict, Verdict::kCopyBound);

  VerdictEvidence slow_loader = evidence_of(50.0, 100.0, 49.0);
  slow_loader.communicates = true;
  EXPECT_EQ(decided(slow_loader).verdict, Verdict::kInputBound) << "whatever the step does";
}

TEST(VerdictRule, FullMayBeatTheStepByWhatDoesNotCount) {
  const Decision slight = decided(evidence_of(300.0, 100.0, 107.0));
  EXPECT_EQ(slight.verdict, Verdict::kComputeBound);
  EXPECT_EQ(decided(evidence_of(300.0, 100.0, 111.0)).doubt, Doubt::kFullBeatsStep);
}

TEST(VerdictRule, ContentionIsExplainedByTheLargerOfBothMeasures) {
  VerdictEvidence evidence = evidence_of(300.0, 100.0, 50.0);
  evidence.shared_processors = true;
  evidence.loader_cpu_s = 0.004;
  evidence.step_beside_loader = rounds(1.0 / 0.013, 0.0);  // 0.003 s more than alone
  EXPECT_NEAR(contention_explains(evidence, 0.5).value(), 0.004 * 50.0 / 0.5, 1e-6);
  evidence.loader_cpu_s = 0.002;
  EXPECT_NEAR(contention_explains(evidence, 0.5).value(), 0.003 * 50.0 / 0.5, 1e-6);
}

// By noise full is a little faster than the step.
TEST(VerdictRule, NoGainGoesBeyondTheStepWithoutThePart) {
  const ArmMeans copied{.io = 1e6, .host = 100.0, .device = 200.0, .nocomm = 200.0, .full = 105.0};
  EXPECT_NEAR(max_gain(Verdict::kCopyBound, copied).value(), 200.0 / 105.0, 1e-12);
  const ArmMeans reduced{.io = 1e6, .host = 100.0, .device = 100.0, .nocomm = 200.0, .full = 105.0};
  EXPECT_NEAR(max_gain(Verdict::kCommunicationBound, reduced).value(), 200.0 / 105.0, 1e-12);
}

// By noise a step is a little slower without a part than with it: the others count in full.
TEST(VerdictRule, APartThatNoiseHidesAddsNothingToAFasterStep) {
  const ArmMeans communication_hidden{
      .io = 1e6, .host = 100.0, .device = 110.0, .nocomm = 105.0, .full = 100.0};
  EXPECT_NEAR(rate_without_compute(communication_hidden), 1100.0, 1e-8);
  const ArmMeans copy_hidden{
      .io = 1e6, .host = 105.0, .device = 100.0, .nocomm = 110.0, .full = 100.0};
  EXPECT_NEAR(rate_without_compute(copy_hidden), 1100.0, 1e-8);
}

}  // namespace
}  // namespace dlbench::reports
