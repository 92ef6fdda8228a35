// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Several reports on a side: their starts are compared, not their repetitions.
#include "engine/core/rng.h"
#include "reports/text/compare.h"
#include "tests/error_message.h"
#include "tests/reports/sample_record.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Reports of one start each, with ids of their own.
class CompareStarts : public ::testing::Test {
 protected:
  /// A start whose repetitions of full differ by 0.02 % around e^log.
  RunRecord start(double log) {
    RunRecord record = sample_record();
    record.run.id = fmt::format("run-{}", ++starts_);
    const std::vector<double> rates = {std::exp(log - 1e-4), std::exp(log), std::exp(log + 1e-4)};
    record.trials = {sample_trial(TrialKind::kFull, std::nullopt, rates)};
    record.collectives.clear();
    record.history.clear();
    return record;
  }
  std::vector<RunRecord> starts(const std::vector<double>& logs) {
    std::vector<RunRecord> records;
    for (const double log : logs) {
      records.push_back(start(log));
    }
    return records;
  }
  ArmComparison arm(const std::vector<double>& before, const std::vector<double>& after) {
    return compare_reports(starts(before), starts(after)).arms.at(0);
  }

 private:
  int starts_ = 0;
};

TEST_F(CompareStarts, WelchByHandOverTheStarts) {
  const ArmComparison compared = arm({0.0, 0.01, 0.02}, {0.10, 0.11, 0.12});
  const double half = 2.7764451 * std::sqrt(2e-4 / 3.0);  // 4 degrees of freedom
  EXPECT_NEAR(compared.ratio, std::exp(0.1), 1e-9);
  EXPECT_NEAR(compared.ci95.value()[0], std::exp(0.1 - half), 1e-7);
  EXPECT_NEAR(compared.ci95.value()[1], std::exp(0.1 + half), 1e-7);
  EXPECT_NEAR(compared.baseline, std::exp(0.01), 1e-9);
  EXPECT_EQ(compared.baseline_n, 3);
  EXPECT_EQ(compared.candidate_n, 3);
  EXPECT_EQ(compared.change, Change::kFaster);
}

// One more of three: t of 2 degrees of freedom, variance 1e-4 (1 + 1/3).
TEST_F(CompareStarts, ALoneStartVariesAsTheOthersDo) {
  for (const bool swapped : {false, true}) {
    const std::vector<double> three = {0.0, 0.01, 0.02};
    const std::vector<double> lone = {0.11};
    const ArmComparison compared = swapped ? arm(lone, three) : arm(three, lone);
    const double log_ratio = swapped ? -0.1 : 0.1;
    const double half = 4.3026527 * std::sqrt(1e-4 * (1.0 + 1.0 / 3.0));
    EXPECT_NEAR(compared.ci95.value()[0], std::exp(log_ratio - half), 1e-7);
    EXPECT_NEAR(compared.ci95.value()[1], std::exp(log_ratio + half), 1e-7);
    EXPECT_EQ(compared.change, Change::kUnsure) << "9.925 at 99 %: 0.1146";
    EXPECT_EQ(compared.needed_n, 2);
  }
  EXPECT_EQ(arm({0.0, 0.01, 0.02}, {0.13}).change, Change::kFaster);
  EXPECT_EQ(arm({0.0, 0.01, 0.02}, {-0.11}).change, Change::kSlower);
}

TEST_F(CompareStarts, WhatDiffersFromStartToStartIsNoChange) {
  const std::vector<double> wide = {-0.03, 0.0, 0.03};
  EXPECT_EQ(compare_reports(start(0.03), start(-0.03)).arms.at(0).change, Change::kSlower)
      << "as one report each has it";
  const Comparison comparison = compare_reports(starts(wide), starts({-0.05, -0.02, 0.01}));
  EXPECT_EQ(comparison.unit, CompareUnit::kStart);
  EXPECT_EQ(comparison.arms.at(0).change, Change::kUnsure);
  EXPECT_GT(comparison.arms.at(0).needed_n.value(), 3);
  const std::string text = comparison_text(comparison);
  EXPECT_THAT(text, HasSubstr(" starts each would decide)"));
  EXPECT_THAT(text, HasSubstr("n counts starts"));
}

TEST_F(CompareStarts, TwoEqualProgramsDifferOnceInAHundredComparisons) {
  core::RandomStream random(7, 1);
  constexpr int kComparisons = 300;
  int by_starts = 0;
  int by_repetitions = 0;
  for (int index = 0; index < kComparisons; ++index) {
    const auto five = [&] {
      std::vector<double> logs(5);
      for (double& log : logs) {
        log = 0.03 * random.normal();
      }
      return starts(logs);
    };
    const std::vector<RunRecord> before = five();
    const std::vector<RunRecord> after = five();
    const auto differs = [](const Comparison& comparison) {
      const Change change = comparison.arms.at(0).change;
      return change == Change::kFaster || change == Change::kSlower ? 1 : 0;
    };
    by_starts += differs(compare_reports(before, after));
    by_repetitions += differs(compare_reports(before[0], after[0]));
  }
  EXPECT_LE(by_starts, 9);
  EXPECT_GT(by_repetitions, kComparisons / 3) << "no start says how the next one will be";
}

TEST_F(CompareStarts, ADisturbedStartIsJudgedByTheOthers) {
  const std::vector<RunRecord> before = starts({0.0, 0.001, -0.001});
  std::vector<RunRecord> after = starts({-0.1, -0.101, -0.099});
  const TaintRecord disturbed{Taint::kDisturbed, "trial full, repetition 1", "other processes"};
  for (RunRecord& record : after) {
    record.run.taints = {{Taint::kDisturbed, "trial full", "other processes"}};
  }
  const ArmComparison all = compare_reports(before, after).arms.at(0);
  EXPECT_EQ(all.change, Change::kUnsure);
  EXPECT_EQ(all.doubt, "the candidate was disturbed");
  after[0].run.taints = {disturbed};
  after[1].run.taints.clear();
  EXPECT_EQ(compare_reports(before, after).arms.at(0).change, Change::kSlower);
}

TEST_F(CompareStarts, CollectivesByTheirMedians) {
  const auto calls = [&](const std::vector<double>& medians_us) {
    std::vector<RunRecord> records;
    for (const double median_us : medians_us) {
      RunRecord record = start(0.0);
      record.trials.clear();
      record.collectives = {sample_collectives().at(0)};
      record.collectives[0].time_s = {.median = median_us * 1e-6, .p95 = 2e-6 * median_us};
      records.push_back(record);
    }
    return records;
  };
  const Comparison comparison = compare_reports(calls({100, 101, 99}), calls({120, 121, 119}));
  const CollectiveComparison& collective = comparison.collectives.at(0);
  EXPECT_EQ(collective.change, Change::kSlower) << "though within the calls' 95th percentile";
  EXPECT_NEAR(collective.ratio, 100.0 / 120.0, 1e-4);
  EXPECT_NEAR(collective.baseline_s, 100e-6, 1e-8);
  EXPECT_TRUE(collective.ci95.has_value());
  EXPECT_EQ(collective.candidate_n, 3);
  EXPECT_THAT(comparison_text(comparison), HasSubstr("3/3"));
  EXPECT_TRUE(comparison.fails());
}

TEST_F(CompareStarts, WrongElementsCountOfWhateverTransport) {
  RunRecord before = start(0.0);
  before.collectives = {sample_collectives().at(0)};
  RunRecord after = start(0.0);
  after.collectives = {before.collectives[0], before.collectives[0]};
  after.collectives[1].transport = "another";
  after.collectives[1].time_s.median *= 2.0;
  after.collectives[1].wrong = 3;
  const Comparison comparison = compare_reports(before, after);
  EXPECT_EQ(comparison.collectives.at(0).candidate_s, comparison.collectives.at(0).baseline_s);
  EXPECT_THAT(comparison.wrong, ElementsAre(HasSubstr(": 3 wrong elements")));
}

TEST_F(CompareStarts, WhatDiffersAmongTheStartsOfASideIsNamed) {
  std::vector<RunRecord> before = starts({0.0, 0.001});
  std::vector<RunRecord> after = starts({0.0, 0.001});
  EXPECT_THAT(compare_reports(before, after).differences, IsEmpty());
  for (std::vector<RunRecord>* side : {&before, &after}) {
    side->at(1).system.libraries["onednn"] = "3.1";
  }
  const std::vector<Difference> differences = compare_reports(before, after).differences;
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].what, "library onednn");
  EXPECT_THAT(differences[0].baseline, HasSubstr(" or 3.1"));
}

TEST_F(CompareStarts, EachCandidateIsToBeComplete) {
  const std::vector<RunRecord> before = starts({0.0, 0.001});
  std::vector<RunRecord> after = starts({0.0, 0.001});
  after[1].run.status = RunStatus::kFailed;
  after[1].run.exit_code = 5;
  const Comparison comparison = compare_reports(before, after);
  EXPECT_TRUE(comparison.fails());
  EXPECT_EQ(comparison.incomplete,
            "failed (exit code 5), the run started at " + after[1].run.started_at);
}

// The start that has it says what was asked for, whatever stands before it.
TEST_F(CompareStarts, WhatIsMissingDoesNotDependOnTheOrder) {
  std::vector<RunRecord> before = starts({0.0, 0.001});
  std::vector<RunRecord> after = starts({0.0, 0.001});
  for (std::vector<RunRecord>* side : {&before, &after}) {
    for (RunRecord& record : *side) {
      record.config.effective["trials"] = "full";
    }
  }
  before[1].trials.push_back(sample_trial(TrialKind::kIo, std::nullopt, {5.0, 5.1, 5.2}));
  before[1].config.effective["trials"] = "io,full";
  for (int order = 0; order < 2; ++order) {
    EXPECT_FALSE(compare_reports(before, after).fails()) << "the candidates were not to measure io";
    std::swap(before[0], before[1]);
  }
  after[1].config.effective["trials"] = "io,full";
  for (int order = 0; order < 2; ++order) {
    EXPECT_THAT(compare_reports(before, after).missing, ElementsAre("io on 1 rank"));
    std::swap(before[0], before[1]);
  }
}

TEST_F(CompareStarts, ACandidateThatLacksWhatAnotherHasFails) {
  const std::vector<RunRecord> before = starts({0.0, 0.001});
  std::vector<RunRecord> after = starts({0.0, 0.001, 0.002});
  after[2].trials.clear();
  after[2].run.started_at = "2026-01-31T12:34:56Z";
  const Comparison comparison = compare_reports(before, after);
  EXPECT_EQ(comparison.arms.at(0).candidate_n, 2);
  EXPECT_THAT(comparison.missing,
              ElementsAre("full on 1 rank in the run started at 2026-01-31T12:34:56Z"));
  EXPECT_TRUE(comparison.fails());
}

TEST_F(CompareStarts, TwoStartsThatDifferMuchTellNothing) {
  const std::string text = comparison_text(compare_reports(starts({0.0, 3.0}), starts({0.0, 3.0})));
  EXPECT_THAT(text, HasSubstr(" 0 to any "));
}

TEST_F(CompareStarts, OneStartCountsOnce) {
  const RunRecord one = start(0.0);
  const RunRecord other = start(0.0);
  const auto refused = [](const std::vector<RunRecord>& before,
                          const std::vector<RunRecord>& after) {
    return tests::error_of([&] { static_cast<void>(compare_reports(before, after)); },
                           core::ErrorCode::kData);
  };
  EXPECT_THAT(refused({one, one}, {other}), HasSubstr("two of the reports are of one run, run-1"));
  EXPECT_THAT(refused({one, other}, {one}), HasSubstr("a start counts once"));
  EXPECT_EQ(refused({one}, {one}), "no error") << "one report with itself is a trial of the gate";
}

TEST_F(CompareStarts, AllAreOfOneCommand) {
  std::vector<RunRecord> after = starts({0.0, 0.001});
  after[1].run.command = {"dlbench", "train"};
  EXPECT_THAT(tests::error_of([&] { static_cast<void>(compare_reports(starts({0.0}), after)); },
                              core::ErrorCode::kData),
              HasSubstr("of the commands run and train"));
}

TEST_F(CompareStarts, AllAreOfOneWorkload) {
  std::vector<RunRecord> after = starts({0.0, 0.001});
  after[1].workload->name = "mnist_cnn";
  EXPECT_THAT(tests::error_of([&] { static_cast<void>(compare_reports(starts({0.0}), after)); },
                              core::ErrorCode::kData),
              HasSubstr("different workloads"));
}

}  // namespace
}  // namespace dlbench::reports
