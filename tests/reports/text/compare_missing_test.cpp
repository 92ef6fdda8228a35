// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a candidate lacks or computed wrongly, whatever its speed.
#include "reports/text/compare.h"
#include "tests/reports/sample_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Compare, WhatIsMissingFailsUnlessItWasNotAskedFor) {
  RunRecord baseline = sample_record();
  baseline.config.effective["trials"] = "io,synthetic,full";
  RunRecord candidate = baseline;
  std::erase_if(candidate.trials, [](const auto& trial) {
    return trial.kind == TrialKind::kFull && !trial.series.has_value();
  });
  const Comparison comparison = compare_reports(baseline, candidate);
  EXPECT_THAT(comparison.missing, ElementsAre("full on 1 rank"));
  EXPECT_TRUE(comparison.fails());
  EXPECT_THAT(comparison_text(comparison),
              HasSubstr("full on 1 rank: missing, for the candidate was to measure it too\n"));
  EXPECT_FALSE(compare_reports(candidate, baseline).fails()) << "more is not less";
  candidate.config.effective["trials"] = "synthetic,io";
  EXPECT_FALSE(compare_reports(baseline, candidate).fails());
  candidate.config.effective["trials"] = "full,interference,synthetic,io";
  EXPECT_TRUE(compare_reports(baseline, candidate).fails());
  candidate.config.effective["trials"] = "full,synthetic/device,io";
  EXPECT_THAT(compare_reports(baseline, candidate).missing, ElementsAre("full on 1 rank"))
      << "it was asked for, whatever was not";
  baseline = candidate = sample_record();
  baseline.config.effective["trials"] = "io,synthetic,synthetic/nocomm,full";
  candidate.config.effective["trials"] = "io,synthetic,full";
  TrialRecord nocomm = baseline.trials.at(1);
  nocomm.variant = "nocomm";
  baseline.trials.push_back(nocomm);
  EXPECT_THAT(compare_reports(baseline, candidate).missing, IsEmpty())
      << "synthetic is not all of its variants";
}

// The CPU's one synthetic trial, and the two of a device with memory of its own.
TEST(Compare, PairsTheSyntheticTrialsOfMachinesWithOneAndWithTwoMemories) {
  RunRecord cpu = sample_record();
  cpu.collectives.clear();
  cpu.history.clear();
  cpu.config.effective["trials"] = "synthetic";
  RunRecord gpu = cpu;
  cpu.trials = {sample_trial(TrialKind::kSynthetic, std::nullopt, {10.0, 10.1, 9.9})};
  gpu.trials = {sample_trial(TrialKind::kSynthetic, "device", {1100.0, 1101.0, 1099.0}),
                sample_trial(TrialKind::kSynthetic, "host", {1000.0, 1001.0, 999.0})};
  const Comparison faster = compare_reports(cpu, gpu);
  ASSERT_EQ(faster.arms.size(), 1U);
  EXPECT_EQ(faster.arms[0].arm, "synthetic (candidate: synthetic/host)");
  EXPECT_NEAR(faster.arms[0].ratio, 100.0, 0.1);
  EXPECT_FALSE(faster.fails());
  const Comparison slower = compare_reports(gpu, cpu);
  ASSERT_EQ(slower.arms.size(), 1U);
  EXPECT_EQ(slower.arms[0].arm, "synthetic/host (candidate: synthetic)");
  EXPECT_THAT(slower.only_in_one, ElementsAre("synthetic/device on 1 rank: only in the baseline"));
  EXPECT_THAT(slower.missing, IsEmpty());
}

TEST(Compare, WrongElementsFailHoweverFastTheyCame) {
  RunRecord baseline = sample_record();
  baseline.workload.reset();
  baseline.trials.clear();
  baseline.history.clear();
  baseline.collectives = {sample_collectives().at(0)};
  RunRecord candidate = baseline;
  candidate.collectives[0].time_s = {.median = 1e-9, .p95 = 1e-9};
  candidate.collectives[0].wrong = 1;
  candidate.run.exit_code = 3;
  const Comparison comparison = compare_reports(baseline, candidate);
  EXPECT_TRUE(comparison.fails());
  EXPECT_FALSE(comparison.any(Change::kSlower));
  const std::string text = comparison_text(comparison);
  EXPECT_THAT(text, HasSubstr("the candidate computed wrong results: all_reduce of "));
  EXPECT_THAT(text, HasSubstr(": 1 wrong element\n"));
  EXPECT_THAT(text, HasSubstr("complete (exit code 3)"));
  EXPECT_THAT(compare_reports(candidate, baseline).wrong, IsEmpty()) << "the baseline is not asked";
}

}  // namespace
}  // namespace dlbench::reports
