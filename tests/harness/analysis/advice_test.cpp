// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The words of a verdict: what it explains, and what it advises.
#include "harness/analysis/attribution.h"

#include <gmock/gmock.h>

#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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
            "how much of the full time is lost is not known: the 95 % interval of the largest loss "
            "is wider than that time, too wide to say");
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
  input.synthetic_device = input.nocomm = {};
  EXPECT_NEAR(attribute(input).value().advice[0].expected_gain.value(), 500.0, 0.1);
}

}  // namespace
}  // namespace dlbench::harness
