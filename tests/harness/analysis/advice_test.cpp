// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The words of a verdict: what it explains, and what it advises.
#include "harness/analysis/attribution.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Five rounds that part by a thousandth.
std::vector<reports::RoundRate> rounds_of(double rate) {
  std::vector<reports::RoundRate> arm;
  for (int round = 0; round < 5; ++round) {
    arm.push_back({round, rate * (1.0 + 0.0005 * (round % 3 - 1))});
  }
  return arm;
}

/// The loader alone is far ahead of the step.
AttributionInput bound_by_the_step() {
  AttributionInput input;
  input.io = rounds_of(900.0);
  input.synthetic_host = rounds_of(100.0);
  input.full = rounds_of(99.0);
  return input;
}

TEST(Advice, OnAGpuIsWhatAGpuCanDo) {
  AttributionInput input = bound_by_the_step();
  const auto on_gpu = attribute(input).value();
  ASSERT_EQ(on_gpu.verdict, reports::Verdict::kComputeBound);
  EXPECT_THAT(
      on_gpu.advice.at(0).change,
      AllOf(HasSubstr("--precision"), Not(HasSubstr("--conv-algorithm")), Not(HasSubstr("cores"))));
  input.shared_processors = true;
  input.cores = 2;
  EXPECT_THAT(attribute(input).value().advice.at(0).change,
              AllOf(HasSubstr("--conv-algorithm"), HasSubstr("more cores")));
}

TEST(Advice, AStepThatLeavesTheGpuIdleSaysSo) {
  AttributionInput input = bound_by_the_step();
  input.gpu = UntracedShares{.busy = 0.55, .launch_idle = 0.25};
  const auto idling = attribute(input).value();
  ASSERT_EQ(idling.verdict, reports::Verdict::kComputeBound);
  EXPECT_THAT(idling.explanation,
              HasSubstr("idles 45.0 % of the step between kernels, 25.0 % for want of launches"));
  input.gpu->busy = 0.95;
  EXPECT_THAT(attribute(input).value().explanation, Not(HasSubstr("idles")));
}

TEST(Advice, FiguresThatTellNothingAreNotSaid) {
  AttributionInput input;
  input.io = {{0, 500.0}, {1, 480.0}};
  input.synthetic_host = {{0, 100.0}, {1, 30.0}};
  input.full = {{0, 20.0}, {1, 90.0}};
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, reports::Verdict::kUnsure);
  EXPECT_LT(result.margin_ci95.value()[0], -1000.0) << "the report has it";
  EXPECT_EQ(result.explanation,
            "how much of the full time is lost to input is not known: its 95 % interval is wider "
            "than that time, too wide to say");
}

// A third of the time is lost to communication for sure; what decides is whether input counts.
TEST(Advice, TheLossInDoubtIsNamedThoughAnotherIsLarger) {
  AttributionInput input;
  input.ranks = 2;
  input.io = rounds_of(88.0);
  input.synthetic_host = rounds_of(100.0);
  input.nocomm = rounds_of(160.0);
  input.full = {{0, 96.0}, {1, 78.0}, {2, 97.0}, {3, 79.0}, {4, 90.0}};
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, reports::Verdict::kUnsure);
  EXPECT_THAT(result.explanation, StartsWith("the loss to input is 12."));
}

TEST(Advice, CommunicationOfASingleRootIsNoAllReduce) {
  AttributionInput input;
  input.ranks = 2;
  input.io = rounds_of(1000.0);
  input.full = input.synthetic_host = rounds_of(100.0);
  input.nocomm = rounds_of(160.0);
  EXPECT_THAT(attribute(input).value().explanation, StartsWith("the all-reduce takes 37.5 %"));
  EXPECT_THAT(attribute(input).value().advice.at(0).change, HasSubstr("larger buckets"));
  input.single_root = true;
  EXPECT_THAT(attribute(input).value().explanation, StartsWith("communication takes 37.5 %"));
  EXPECT_THAT(attribute(input).value().advice.at(0).change,
              AllOf(HasSubstr("--strategy ddp"), Not(HasSubstr("buckets"))));
}

// Two rounds that disagree, of a loader that is many times as fast in both.
TEST(Advice, OfARatioThatIsNotKnownTheIntervalIsTold) {
  AttributionInput input;
  input.io = {{0, 1e6}, {1, 8e5}};
  input.synthetic_host = {{0, 30.0}, {1, 600.0}};
  input.full = {{0, 30.0}, {1, 600.0}};
  const auto result = attribute(input).value();
  EXPECT_EQ(result.verdict, reports::Verdict::kUnsure);
  EXPECT_EQ(result.explanation,
            "whether the loader (900000 samples/s) or the step (315) is faster is not known: the "
            "95 % interval of their ratio goes from 8.76e-06 to 5.07e+12");
}

// Of a step of 1 ms 0.09 ms are the copy and as much is communication: no faster computing ends
// before these.
TEST(Advice, AFasterStepIsPromisedNoMoreThanCopyAndCommunicationLeave) {
  const auto arm = [](double step_s) { return rounds_of(1.0 / step_s); };
  AttributionInput input;
  input.ranks = 4;
  input.io = arm(2e-6);
  input.full = input.synthetic_host = arm(1e-3);
  input.synthetic_device = arm(0.91e-3);
  input.nocomm = arm(0.82e-3);
  const auto record = attribute(input).value();
  EXPECT_EQ(record.verdict, reports::Verdict::kComputeBound);
  ASSERT_EQ(record.advice.size(), 1U);
  EXPECT_NEAR(record.advice[0].expected_gain.value(), 1.0 / 0.18, 0.01);
  EXPECT_THAT(record.advice[0].change, HasSubstr("then copy and communication are the limit"));
  input.nocomm = {};
  EXPECT_THAT(attribute(input).value().advice[0].change, HasSubstr("then the copy is the limit"));
  input.synthetic_device = input.full;
  input.nocomm = arm(0.91e-3);
  EXPECT_THAT(attribute(input).value().advice[0].change,
              HasSubstr("then communication is the limit"));
  input.synthetic_device = input.nocomm = {};
  EXPECT_NEAR(attribute(input).value().advice[0].expected_gain.value(), 500.0, 0.1);
}

/// Loader, step and both, on a device of its own.
AttributionInput machine_of(double io, double host, double full) {
  AttributionInput input;
  input.io = rounds_of(io);
  input.synthetic_host = rounds_of(host);
  input.full = rounds_of(full);
  return input;
}

reports::AdviceRecord worker_advice(const AttributionInput& input) {
  const reports::AttributionRecord record = attribute(input).value();
  for (const reports::AdviceRecord& advice : record.advice) {
    if (advice.change.find("workers instead") != std::string::npos ||
        advice.change.find("--prefetch") != std::string::npos) {
      return advice;
    }
  }
  return {.change = "none"};
}

TEST(Advice, TwiceTheWorkersLoadTwiceAsFast) {
  AttributionInput input = machine_of(100.0, 1000.0, 100.0);
  input.workers = 2;
  input.parts_of_batch = 8;
  input.cores = 4;
  const reports::AdviceRecord advice = worker_advice(input);
  EXPECT_EQ(advice.change, "4 loader workers instead of 2: up to 2.0x, then all 4 cores load");
  EXPECT_NEAR(advice.expected_gain.value(), 2.0, 1e-3);
}

TEST(Advice, AWorkersLoadIsThatOfThoseAtWorkOnAllRanks) {
  // 0.02 s of 100 samples a second: 2 processors' worth, on 4 ranks.
  AttributionInput input = machine_of(100.0, 1000.0, 100.0);
  input.ranks = 4;
  input.cores = 2;
  input.io_cpu_s_per_sample = 0.02;
  const auto busy = [&](std::int64_t workers, std::int64_t prefetch, std::int64_t parts) {
    input.workers = workers;
    input.prefetch = prefetch;
    input.parts_of_batch = parts;
    return attribute(input).value().advice.at(0).change;
  };
  EXPECT_THAT(busy(2, 1, 3), HasSubstr("(the workers wait: 25.0 % busy)"));
  EXPECT_THAT(busy(8, 1, 2), HasSubstr("(the workers wait: 25.0 % busy)"));
  // A rank has a core at least: of workers that are half idle, four share it.
  input.io_cpu_s_per_sample = 0.01;
  static_cast<void>(busy(1, 4, 2));
  EXPECT_THAT(worker_advice(input).change, HasSubstr("4 loader workers instead of 1,"));
}

// 0.9 processors' worth of work, which rank 0 does alone: one busy worker, not three that wait.
TEST(Advice, OfASingleRootOneRankLoads) {
  AttributionInput input = machine_of(100.0, 1000.0, 100.0);
  input.ranks = 3;
  input.cores = 6;
  input.parts_of_batch = 8;
  input.io_cpu_s_per_sample = 0.009;
  const auto first = [&] { return attribute(input).value().advice.at(0).change; };
  EXPECT_THAT(first(), HasSubstr("the workers wait: 30.0 % busy"));
  input.single_root = true;
  EXPECT_THAT(first(), HasSubstr("cheaper to read"));
  EXPECT_EQ(worker_advice(input).change,
            "2 loader workers instead of 1: up to 2.0x, then all cores of rank 0 load, 2 of 6");
}

// 3 ms of its 4.1 ms that full loses are the loader's if rank 0 loads alone, else a quarter of
// them.
TEST(Advice, OfASingleRootTheLoaderTakesAllOfItsTimeFromTheStep) {
  AttributionInput input = machine_of(900.0, 100.0, 71.0);
  input.shared_processors = true;
  input.cores = input.ranks = 4;
  input.io_cpu_s_per_sample = 0.003;
  EXPECT_EQ(attribute(input).value().verdict, reports::Verdict::kUnsure);
  EXPECT_THAT(attribute(input).value().explanation, HasSubstr("something else slowed full"));
  input.single_root = true;
  EXPECT_EQ(attribute(input).value().verdict, reports::Verdict::kContentionBound);
}

TEST(Advice, ARankHasWholeCores) {
  AttributionInput input = machine_of(100.0, 1000.0, 100.0);
  input.ranks = 2;
  input.parts_of_batch = 8;
  input.cores = 3;
  EXPECT_EQ(worker_advice(input).change, "none") << "busy workers";
  input.cores = 4;
  EXPECT_THAT(worker_advice(input).change, HasSubstr("2 loader workers instead of 1:"));
}

TEST(Advice, WorkersWaitThatAreBusyForLessThanHalfOfTheTime) {
  AttributionInput input = machine_of(100.0, 1000.0, 100.0);
  input.io_cpu_s_per_sample = 0.0045;
  EXPECT_THAT(attribute(input).value().advice.at(0).change, HasSubstr("faster storage"));
  input.io_cpu_s_per_sample = 0.0055;
  EXPECT_THAT(attribute(input).value().advice.at(0).change, HasSubstr("cheaper to read"));
}

TEST(Advice, WorkersThatAreThereAreNotAskedFor) {
  AttributionInput input = machine_of(100.0, 500.0, 100.0);
  input.workers = 10;
  input.io_cpu_s_per_sample = 0.0001;
  EXPECT_THAT(worker_advice(input).change, StartsWith("--prefetch 10 instead of 2, which has"));
}

TEST(Advice, OfEqualGainsMoreBusyWorkersComeFirst) {
  AttributionInput input = machine_of(25.0, 77.0, 24.6);
  input.cores = 8;
  input.parts_of_batch = 8;
  const auto advice = attribute(input).value().advice;
  ASSERT_EQ(advice.size(), 2U);
  EXPECT_EQ(advice[0].expected_gain, advice[1].expected_gain);
  EXPECT_THAT(advice[0].change, StartsWith("4 loader workers"));
}

// full may beat the step by less than what counts, so that little is left to gain.
TEST(Advice, LessThanATwentiethIsNotWorthSaying) {
  EXPECT_TRUE(attribute(machine_of(112.0, 100.0, 107.5)).value().advice.empty());
  EXPECT_EQ(attribute(machine_of(112.0, 100.0, 105.0)).value().advice.size(), 1U);
}

TEST(Advice, ADeviceThatIsBusyForNineTenthsDoesNotIdle) {
  AttributionInput input = bound_by_the_step();
  input.gpu = UntracedShares{.busy = 0.91, .launch_idle = 0.05};
  EXPECT_THAT(attribute(input).value().explanation, Not(HasSubstr("idles")));
  input.gpu->busy = 0.89;
  EXPECT_THAT(attribute(input).value().explanation, HasSubstr("idles 11.0 %"));
}

TEST(Advice, ContentionEndsWhereTheSlowerOfBothIs) {
  const auto change = [](double io, double host) {
    AttributionInput input = machine_of(io, host, 51.0);
    input.shared_processors = true;
    input.io_cpu_s_per_sample = 0.01;
    return attribute(input).value().advice.at(0).change;
  };
  EXPECT_THAT(change(105.0, 100.0), HasSubstr("up to 2.0x, then the step is the limit"));
  EXPECT_THAT(change(100.0, 105.0), HasSubstr("up to 2.0x, then the loader is the limit"));
}

TEST(Advice, AFasterStepEndsAtTheLoader) {
  AttributionInput input = machine_of(120.0, 100.0, 99.0);
  input.ranks = 2;
  input.nocomm = rounds_of(150.0);
  const auto slow = attribute(input).value().advice.at(0);
  EXPECT_NEAR(slow.expected_gain.value(), 120.0 / 99.0, 1e-3);
  EXPECT_THAT(slow.change, EndsWith("up to 1.2x, then the loader is the limit"));
  input.io = rounds_of(300.0);
  EXPECT_THAT(attribute(input).value().advice.at(0).change, EndsWith("a faster link): up to 1.5x"));
}

TEST(Advice, WithoutItsStragglerAStepIsShorterByWhatWasLost) {
  AttributionInput input = bound_by_the_step();
  input.ranks = 2;
  input.straggler = {.rank = 1,
                     .host = "b",
                     .late = {.estimate = 0.8, .lower = 0.7, .upper = 0.9},
                     .lost = {.estimate = 0.2, .lower = 0.15, .upper = 0.25}};
  const auto record = attribute(input).value();
  ASSERT_EQ(record.verdict, reports::Verdict::kStraggler);
  EXPECT_NEAR(record.advice.at(0).expected_gain.value(), 1.25, 1e-12);
}

TEST(Advice, EitherSideAloneBringsFullToTheOther) {
  EXPECT_EQ(attribute(machine_of(100.0, 110.0, 90.0)).value().advice.at(0).change,
            "loader and step made faster together: the loader alone brings at most 1.22x, the step "
            "alone 1.11x");
}

TEST(Advice, ExplanationsCompareFullWithTheStepItTrains) {
  AttributionInput input = machine_of(300.0, 90.0, 88.2);
  input.nocomm = rounds_of(95.0);
  EXPECT_THAT(attribute(input).value().explanation,
              HasSubstr("full (88.2) runs at 98.0 % of the step alone"));
}

TEST(Advice, InterferenceIsTheLossOfEachSideAgainstItselfAlone) {
  AttributionInput input = machine_of(95.0, 100.0, 94.0);
  input.synthetic_device = rounds_of(120.0);
  input.step_beside_loader = rounds_of(80.0);
  input.loader_beside_step = rounds_of(66.5);
  EXPECT_THAT(
      attribute(input).value().explanation,
      EndsWith("; beside the loader the step loses 20.0 %; beside the step the loader loses "
               "30.0 %"));
}

}  // namespace
}  // namespace dlbench::harness
