// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/attribution.h"

#include "engine/core/rng.h"
#include "reports/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace dlbench::harness {
namespace {

using reports::RoundRate;

using reports::Verdict;
using ::testing::HasSubstr;
using ::testing::Not;

/// `rounds` rounds of `mean` with relative normal noise.
std::vector<RoundRate> noisy(double mean, double noise, int rounds, core::RandomStream& random) {
  std::vector<RoundRate> arm;
  for (int round = 0; round < rounds; ++round) {
    const double factor = std::exp(noise * static_cast<double>(random.normal()));
    arm.push_back({round, mean * factor});
  }
  return arm;
}

/// Five rounds with 0.5 % noise: a quiet machine.
AttributionInput quiet(double io, double synthetic, double full) {
  core::RandomStream random(17, 0);
  AttributionInput input;
  input.parts_of_batch = 8;
  input.io = noisy(io, 0.005, 5, random);
  input.synthetic_host = noisy(synthetic, 0.005, 5, random);
  input.full = noisy(full, 0.005, 5, random);
  return input;
}

AttributionInput on_cpu(double io, double synthetic, double full) {
  AttributionInput input = quiet(io, synthetic, full);
  input.shared_processors = true;
  input.cores = 2;
  return input;
}

std::string verdict_of(const AttributionInput& input) {
  return std::string(reports::word(attribute(input).value().verdict));
}

// --- The twelve injected kinds, as the numbers they leave. ---

TEST(Attribution, InjectedSlowStorage) {
  AttributionInput input = on_cpu(40.0, 1500.0, 39.5);
  input.io_cpu_s_per_sample = 0.0005;  // workers wait: 2 % busy
  input.synthetic_cpu_s_per_sample = 0.0013;
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kInputBound);
  EXPECT_EQ(result.limiting, "input");
  EXPECT_THAT(result.advice.at(0).change, HasSubstr("faster storage"));
}

TEST(Attribution, InjectedOneDecodeWorkerOnLargeImages) {
  AttributionInput input = quiet(25.0, 77.0, 24.6);
  input.cores = 8;
  input.io_cpu_s_per_sample = 0.0395;
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kInputBound);
  const auto& workers = *std::find_if(
      result.advice.begin(), result.advice.end(), [](const reports::AdviceRecord& advice) {
        return advice.change.find("workers") != std::string::npos;
      });
  EXPECT_EQ(workers.change,
            "4 loader workers instead of 1: up to 3.1x, then the step is the limit");
  EXPECT_NEAR(workers.expected_gain.value(), 77.0 / 24.6, 0.05);
}

TEST(Attribution, MoreWorkersThanPartsOfTheBatchesAheadNeedMoreOfThese) {
  // Workers that wait for latency, each for a part: measured, 2 and 8 of them load alike beside two
  // batches of one part.
  const auto advice_of = [](std::int64_t workers, std::int64_t prefetch, std::int64_t parts) {
    AttributionInput input = quiet(390.0, 1940.0, 380.0);
    input.cores = 2;
    input.io_cpu_s_per_sample = 0.0001;
    input.workers = workers;
    input.prefetch = prefetch;
    input.parts_of_batch = parts;
    const reports::AttributionRecord result = attribute(input).value();
    for (const reports::AdviceRecord& advice : result.advice) {
      if (advice.change.find("workers instead") != std::string::npos ||
          advice.change.find("--prefetch") != std::string::npos) {
        return advice;
      }
    }
    return reports::AdviceRecord{};
  };
  EXPECT_EQ(advice_of(2, 2, 1).change,
            "10 loader workers instead of 2 with --prefetch 10 instead of 2, where they wait for "
            "latency and not for bandwidth: up to 5.1x, then the step is the limit");
  EXPECT_EQ(advice_of(2, 2, 5).change,
            "10 loader workers instead of 2, where they wait for latency and not for bandwidth: up "
            "to 5.1x, then the step is the limit");
  EXPECT_EQ(advice_of(16, 2, 1).change,
            "--prefetch 10 instead of 2, which has work for more workers, where they wait for "
            "latency and not for bandwidth: up to 5.1x, then the step is the limit");
}

TEST(Attribution, InjectedDelayInAStage) {
  EXPECT_EQ(verdict_of(on_cpu(120.0, 300.0, 118.0)), "input_bound");
}

TEST(Attribution, InjectedCachedData) {
  AttributionInput input = on_cpu(60'000.0, 1500.0, 1470.0);
  input.io_cpu_s_per_sample = 1.0 / 60'000.0;
  input.synthetic_cpu_s_per_sample = 2.0 / 1500.0;
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kComputeBound);
  EXPECT_EQ(result.limiting, "step");
  EXPECT_NEAR(result.margin.value(), 0.98, 0.01);
}

TEST(Attribution, InjectedLargerModel) {
  EXPECT_EQ(verdict_of(on_cpu(30.0, 1.5, 1.49)), "compute_bound");
}

TEST(Attribution, InjectedSlowStep) {
  EXPECT_EQ(verdict_of(on_cpu(120.0, 20.0, 19.8)), "compute_bound");
}

TEST(Attribution, InjectedContentionOnSharedProcessors) {
  AttributionInput input = on_cpu(140.0, 100.0, 62.0);
  input.workers = 2;
  input.io_cpu_s_per_sample = 2.0 / 140.0;
  input.synthetic_cpu_s_per_sample = 2.0 / 100.0;
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kContentionBound);
  EXPECT_EQ(result.limiting, "processors");
  // (2 / 140 + 2 / 100) / 2 cores per sample.
  EXPECT_NEAR(result.predicted_full_samples_per_second.value(), 58.3, 0.1);
  EXPECT_NEAR(result.overlap_efficiency.value(), 62.0 / 58.3, 0.01);
  EXPECT_NEAR(result.advice.at(0).expected_gain.value(), 100.0 / 62.0, 0.02);
}

TEST(Attribution, AQuotaIsNotRoundedWherePredictionsAreMade) {
  for (const double quota : {0.5, 1.5, 2.5}) {
    const double cpu_s = 0.03;  // of loader and step
    const double possible = quota / cpu_s;
    AttributionInput input = on_cpu(3.0 * possible, 2.0 * possible, possible);
    input.cores = static_cast<std::int64_t>(std::ceil(quota));
    input.cpu_capacity = quota;
    input.io_cpu_s_per_sample = 0.01;
    input.synthetic_cpu_s_per_sample = 0.02;
    const auto result = attribute(input).value();
    EXPECT_NEAR(result.predicted_full_samples_per_second.value(), possible, 1e-9);
    EXPECT_NEAR(result.overlap_efficiency.value(), 1.0, 0.01);
    EXPECT_EQ(result.cpu_capacity, quota);
  }
}

TEST(Attribution, InjectedCpuHogBesideTheRun) {
  // A busy neighbour of the full trial only: a repetition that disturbance did not discard. What
  // the loader takes is no part of it.
  AttributionInput input = on_cpu(900.0, 100.0, 71.0);
  EXPECT_EQ(verdict_of(input), "contention_bound") << "with nothing known against it";
  input.io_cpu_s_per_sample = 1.0 / 900.0;  // 1.1 of 4.1 ms
  input.synthetic_cpu_s_per_sample = 2.0 / 100.0;
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kUnsure);
  EXPECT_NEAR(result.margin.value(), 0.29, 0.01);
  EXPECT_THAT(result.explanation, HasSubstr("the loader's share of the processors explains"));
  EXPECT_THAT(result.explanation, HasSubstr("at most 27."));
  EXPECT_THAT(result.advice.at(0).change, HasSubstr("quiet machine"));
}

TEST(Attribution, WhatTheLoaderTakesFromTheStepMayBeMeasured) {
  AttributionInput input = on_cpu(900.0, 100.0, 71.0);
  input.io_cpu_s_per_sample = 1.0 / 900.0;
  core::RandomStream random(5, 0);
  input.step_beside_loader = noisy(75.0, 0.002, 5, random);
  EXPECT_EQ(verdict_of(input), "contention_bound");
  input.step_beside_loader = noisy(95.0, 0.002, 5, random);
  EXPECT_EQ(verdict_of(input), "unsure");
}

TEST(Attribution, RanksLoadAtTheSameTime) {
  AttributionInput input = on_cpu(900.0, 100.0, 71.0);
  input.io_cpu_s_per_sample = 0.003;  // of 4.1 ms, but each of four ranks waits for its own alone
  EXPECT_EQ(verdict_of(input), "contention_bound");
  input.ranks = 4;
  EXPECT_EQ(verdict_of(input), "unsure");
}

TEST(Attribution, InjectedLoaderAsFastAsTheStep) {
  const auto result = attribute(on_cpu(102.0, 100.0, 93.0)).value();
  EXPECT_EQ(result.verdict, Verdict::kBalanced);
  EXPECT_NEAR(result.margin.value(), 0.02, 0.01);
  EXPECT_THAT(result.explanation, HasSubstr("within 10 % of each other"));
}

TEST(Attribution, InjectedSlowCopy) {
  AttributionInput input = quiet(900.0, 100.0, 98.0);
  core::RandomStream random(5, 0);
  input.synthetic_device = noisy(160.0, 0.005, 5, random);
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kCopyBound);
  EXPECT_NEAR(result.margin.value(), 0.98 - 98.0 / 160.0, 0.02);
  // Without that share; what full loses against the step, 2 %, it still loses.
  EXPECT_NEAR(
      result.advice.at(0).expected_gain.value(), 1.0 / (1.0 - 98.0 / 100.0 + 98.0 / 160.0), 0.02);
}

TEST(Attribution, InjectedSlowLink) {
  AttributionInput input = quiet(900.0, 100.0, 99.0);
  input.ranks = 2;
  core::RandomStream random(5, 0);
  input.nocomm = noisy(140.0, 0.005, 5, random);
  EXPECT_EQ(verdict_of(input), "communication_bound");
  input.full = noisy(80.0, 0.005, 5, random);  // and loses a fifth to the loader
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kCommunicationBound);
  EXPECT_NEAR(
      result.advice.at(0).expected_gain.value(), 1.0 / (1.0 - 80.0 / 100.0 + 80.0 / 140.0), 0.02)
      << "not 140 / 80";
}

/// A rank whose shares are known within 0.01.
reports::StragglerEvidence late_rank(std::int64_t rank, double late, double lost) {
  const auto known = [](double share) {
    return reports::Interval{.estimate = share, .lower = share - 0.01, .upper = share + 0.01};
  };
  return {.rank = rank,
          .host = "node" + std::to_string(rank),
          .late = known(late),
          .lost = known(lost)};
}

TEST(Attribution, InjectedSlowRank) {
  AttributionInput input = quiet(900.0, 100.0, 99.0);
  input.ranks = 4;
  core::RandomStream random(5, 0);
  input.nocomm = noisy(140.0, 0.005, 5, random);
  input.straggler = late_rank(2, 0.93, 0.25);
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kStraggler);
  EXPECT_THAT(result.explanation, HasSubstr("rank 2 on node2"));
  EXPECT_EQ(result.margin, 0.25);
  ASSERT_TRUE(result.margin_ci95.has_value());
  EXPECT_EQ((*result.margin_ci95)[0], 0.25 - 0.01);
  input.straggler = late_rank(2, 0.4, 0.25);
  EXPECT_EQ(verdict_of(input), "communication_bound") << "late by turns is not a straggler";
  input.straggler = late_rank(2, 0.93, 0.02);
  EXPECT_EQ(verdict_of(input), "communication_bound") << "late by little costs nothing";
}

TEST(Attribution, OfTwoEqualRanksOneIsAlwaysLateButNoStraggler) {
  AttributionInput input = quiet(900.0, 100.0, 99.0);
  input.ranks = 2;
  input.straggler = late_rank(1, 0.55, 0.15);
  EXPECT_EQ(verdict_of(input), "straggler");
  input.straggler->late.lower = 0.45;
  EXPECT_EQ(verdict_of(input), "compute_bound") << "more than half, but well within chance";
}

TEST(Attribution, NocommShowsCommunicationOnlyWhereItCosts) {
  AttributionInput input = quiet(900.0, 100.0, 99.0);
  input.ranks = 2;
  core::RandomStream random(5, 0);
  input.nocomm = noisy(101.0, 0.005, 5, random);
  EXPECT_EQ(verdict_of(input), "compute_bound") << "1 % is hidden well enough";
  input.nocomm = noisy(140.0, 0.005, 1, random);
  EXPECT_EQ(verdict_of(input), "unsure") << "one common round gives no interval";
  input.nocomm = noisy(140.0, 0.005, 5, random);
  const auto result = attribute(input).value();
  ASSERT_EQ(result.components.size(), 2U);  // the CPU copies nothing
  EXPECT_EQ(result.components[1].name, "communication");
  EXPECT_NEAR(result.components[1].share, 99.0 * (1.0 / 100.0 - 1.0 / 140.0), 0.02);
  EXPECT_NEAR(result.advice.front().expected_gain.value(), 140.0 / 99.0, 0.05);
}

TEST(Attribution, AStepWhoseCommunicationIsNotKnownPromisesNothing) {
  AttributionInput input = quiet(900.0, 100.0, 99.0);
  input.ranks = 2;
  input.communicates = true;
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kUnsure);
  EXPECT_THAT(result.explanation,
              HasSubstr("the step limits, but only synthetic/nocomm can tell its computing"));
  ASSERT_EQ(result.advice.size(), 1U);
  EXPECT_THAT(result.advice[0].change, HasSubstr("measure synthetic/nocomm, too"));
  EXPECT_FALSE(result.advice[0].expected_gain.has_value());
}

TEST(Attribution, InjectedIdleGapsBetweenKernels) {
  AttributionInput input = quiet(900.0, 100.0, 99.0);
  input.gpu = UntracedShares{.busy = 0.55, .launch_idle = 0.45};
  EXPECT_EQ(verdict_of(input), "launch_bound");
  input.gpu->launch_idle = 0.25;
  EXPECT_EQ(verdict_of(input), "compute_bound") << "the rest of the idle time has other reasons";
}

TEST(Attribution, StepsThatAreReplayedAreNotToldToReplay) {
  AttributionInput input = quiet(900.0, 100.0, 99.0);
  input.gpu = UntracedShares{.busy = 0.6, .launch_idle = 0.375, .replayed = false};
  const auto eager = attribute(input).value();
  EXPECT_THAT(eager.advice.at(0).change, HasSubstr("graph replay"));
  EXPECT_THAT(eager.explanation, HasSubstr("idles 37.5 % of the step"));
  EXPECT_NEAR(eager.advice.at(0).expected_gain.value(), 1.0 / (1.0 - 0.375), 0.01);
  input.gpu->replayed = true;
  const auto replayed = attribute(input).value();
  EXPECT_THAT(replayed.advice.at(0).change, Not(HasSubstr("graph replay")));
  EXPECT_THAT(replayed.advice.at(0).change, HasSubstr("larger --batch-size"));
}

// --- Edges of the rules. ---

TEST(Attribution, TheLoaderComesBeforeALargerCopyThatItHides) {
  // Without the copy, full would still be at 80: only the loader can raise it.
  AttributionInput input = quiet(80.0, 100.0, 78.0);
  core::RandomStream random(5, 0);
  input.synthetic_device = noisy(300.0, 0.005, 5, random);
  EXPECT_EQ(verdict_of(input), "input_bound");
}

TEST(Attribution, WithoutSyntheticHostTheCopyIsNotBlamedOnTheLoader) {
  AttributionInput input = quiet(90.0, 100.0, 50.0);
  std::swap(input.synthetic_host, input.synthetic_device);
  input.io = quiet(150.0, 1.0, 1.0).io;
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kUnsure);
  EXPECT_THAT(result.advice.at(0).change, HasSubstr("synthetic/host"));
  AttributionInput explained = quiet(50.0, 100.0, 49.0);
  std::swap(explained.synthetic_host, explained.synthetic_device);
  EXPECT_EQ(verdict_of(explained), "input_bound") << "full is as fast as its loader";
  AttributionInput equal = quiet(100.0, 100.0, 48.0);
  std::swap(equal.synthetic_host, equal.synthetic_device);
  EXPECT_EQ(verdict_of(equal), "unsure");
}

TEST(Attribution, MeasurementsThatContradictEachOtherGiveNoWord) {
  const auto beats_step = attribute(quiet(900.0, 100.0, 130.0)).value();
  EXPECT_EQ(beats_step.verdict, Verdict::kUnsure);
  EXPECT_THAT(beats_step.explanation, HasSubstr("faster than the step alone"));
  const auto beats_loader = attribute(quiet(50.0, 100.0, 98.0)).value();
  EXPECT_EQ(beats_loader.verdict, Verdict::kUnsure);
  EXPECT_THAT(beats_loader.explanation, HasSubstr("faster than the loader alone"));
}

TEST(Attribution, WideIntervalsGiveNoWord) {
  core::RandomStream random(23, 0);
  AttributionInput input;
  input.io = noisy(500.0, 0.02, 3, random);
  input.synthetic_host = noisy(100.0, 0.02, 3, random);
  input.full = {{0, 70.0}, {1, 110.0}, {2, 82.0}};
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kUnsure);
  EXPECT_THAT(result.explanation, HasSubstr("too wide to say"));
  EXPECT_LT(result.margin_ci95.value()[0], result.margin.value());
}

TEST(Attribution, OneRoundGivesNoWord) {
  AttributionInput input;
  input.io = {{0, 5.0}};
  input.synthetic_host = {{0, 100.0}};
  input.full = {{0, 5.0}};
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kUnsure);
  EXPECT_FALSE(result.margin_ci95.has_value());
  EXPECT_NEAR(result.margin.value(), 0.95, 1e-12);
}

TEST(Attribution, WithoutAnArmThereIsNothingToSay) {
  AttributionInput input = quiet(10.0, 20.0, 9.0);
  input.io.clear();
  EXPECT_FALSE(attribute(input).has_value());
}

TEST(Attribution, PredictedFullNeedsCpuTimesOnSharedProcessors) {
  AttributionInput input = on_cpu(100.0, 80.0, 60.0);
  EXPECT_FALSE(predicted_full(input).has_value());
  input.shared_processors = false;
  EXPECT_NEAR(predicted_full(input).value(), 80.0, 1.0);
}

TEST(Attribution, CoresAreThoseOfAllRanks) {
  AttributionInput input = on_cpu(140.0, 100.0, 62.0);
  input.io_cpu_s_per_sample = 2.0 / 140.0;
  input.synthetic_cpu_s_per_sample = 2.0 / 100.0;
  const double alone = predicted_full(input).value();
  input.ranks = 2;  // on the same two cores
  EXPECT_DOUBLE_EQ(predicted_full(input).value(), alone);
  AttributionInput slow = on_cpu(50.0, 120.0, 45.0);
  slow.io_cpu_s_per_sample = 0.0399;
  slow.synthetic_cpu_s_per_sample = 2.0 / 120.0;
  slow.ranks = 2;
  const auto result = attribute(slow).value();
  for (const auto& advice : result.advice) {
    EXPECT_THAT(advice.change, ::testing::Not(HasSubstr("loader workers"))) << "a core for each";
  }
}

TEST(Attribution, MoreWorkersThanCoresOnlyWhereWorkersWait) {
  AttributionInput busy = quiet(50.0, 400.0, 49.0);
  busy.cores = 4;
  busy.io_cpu_s_per_sample = 0.0198;
  const auto limited = attribute(busy).value();
  EXPECT_THAT(limited.advice.at(1).change,
              HasSubstr("4 loader workers instead of 1: up to 4.1x, then all 4 cores load"));
  AttributionInput waiting = busy;
  waiting.io_cpu_s_per_sample = 0.001;
  const auto plenty = attribute(waiting).value();
  EXPECT_THAT(
      plenty.advice.at(0).change + plenty.advice.at(1).change,
      ::testing::AnyOf(HasSubstr("9 loader workers instead of 1"), HasSubstr("8 loader workers")));
  EXPECT_THAT(plenty.advice.at(0).change + plenty.advice.at(1).change,
              HasSubstr("where they wait for latency and not for bandwidth: up to"));
}

TEST(Attribution, SharedCoresLimitWhatMoreWorkersBring) {
  AttributionInput input = on_cpu(50.0, 120.0, 45.0);
  input.cores = 2;
  input.io_cpu_s_per_sample = 0.0199;
  input.synthetic_cpu_s_per_sample = 2.0 / 120.0;
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, Verdict::kInputBound);
  bool found = false;
  for (const auto& advice : result.advice) {
    if (advice.change.find("2 loader workers instead of 1") != std::string::npos) {
      found = true;
      EXPECT_THAT(advice.change, HasSubstr("share"));
      EXPECT_NEAR(advice.expected_gain.value(), 2.0 / (0.0199 + 2.0 / 120.0) / 45.0, 0.03);
    }
  }
  EXPECT_TRUE(found);
}

TEST(Attribution, InterferenceIsNamedInTheExplanation) {
  AttributionInput input = on_cpu(140.0, 100.0, 62.0);
  core::RandomStream random(5, 0);
  input.step_beside_loader = noisy(65.0, 0.002, 5, random);
  input.loader_beside_step = noisy(84.0, 0.002, 5, random);
  EXPECT_THAT(attribute(input)->explanation, HasSubstr("the step loses 3"));
  EXPECT_THAT(attribute(input)->explanation, HasSubstr("the loader loses 40"));
}

// --- A wrong word must never come out: machines of known truth, measured with noise. ---

struct Machine {
  double io, synthetic, full;
  const char* truth;
};

/// Five rounds on machines whose truth is known, from quiet to hopeless: a wrong word at most once
/// in 100 runs (a bare 95 % bound would give 2.5), and never silence on a quiet machine.
TEST(Attribution, NoiseMakesItUnsureNotWrong) {
  constexpr std::array<Machine, 5> kMachines{{{20.0, 100.0, 19.5, "input_bound"},
                                              {300.0, 100.0, 98.0, "compute_bound"},
                                              {200.0, 100.0, 70.0, "contention_bound"},
                                              {100.0, 100.0, 97.0, "balanced"},
                                              {100.0, 100.0, 80.0, "balanced"}}};
  constexpr int kRuns = 2000;
  core::RandomStream random(29, 0);
  for (const double noise : {0.005, 0.02, 0.05, 0.1, 0.2, 0.4}) {
    for (const Machine& machine : kMachines) {
      int wrong = 0;
      int silent = 0;
      for (int run = 0; run < kRuns; ++run) {
        AttributionInput input;
        input.io = noisy(machine.io, noise, 5, random);
        input.synthetic_host = noisy(machine.synthetic, noise, 5, random);
        input.full = noisy(machine.full, noise, 5, random);
        const std::string word = verdict_of(input);
        silent += word == "unsure" ? 1 : 0;
        wrong += word != "unsure" && word != machine.truth ? 1 : 0;
      }
      EXPECT_LE(wrong, kRuns / 100) << machine.truth << " at noise " << noise;
      if (noise < 0.01) {
        EXPECT_EQ(silent, 0) << machine.truth << " at noise " << noise;
      }
    }
  }
}

}  // namespace
}  // namespace dlbench::harness
