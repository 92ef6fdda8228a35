// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the words of a comparison begin and end, and its figures by hand.
#include "reports/text/compare.h"
#include "tests/error_message.h"
#include "tests/reports/sample_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace dlbench::reports {
namespace {

using ::testing::HasSubstr;

/// A report of full alone, whose rates have these logarithms.
RunRecord full_of_logs(const std::vector<double>& logs) {
  std::vector<double> rates;
  for (const double log : logs) {
    rates.push_back(std::exp(log));
  }
  RunRecord record = sample_record();
  record.trials = {sample_trial(TrialKind::kFull, std::nullopt, rates)};
  record.collectives.clear();
  record.history.clear();
  return record;
}

ArmComparison arm_of_logs(const std::vector<double>& baseline,
                          const std::vector<double>& candidate) {
  return compare_reports(full_of_logs(baseline), full_of_logs(candidate)).arms.at(0);
}

/// Logarithms that alternate about `middle`; of an odd number the last is `middle` itself.
std::vector<double> about(double middle, double deviation, std::size_t count) {
  std::vector<double> logs;
  for (std::size_t index = 0; index < count; ++index) {
    const bool unpaired = index + 1 == count && count % 2 == 1;
    logs.push_back(unpaired ? middle : middle + (index % 2 == 0 ? -deviation : deviation));
  }
  return logs;
}

// Variances 1e-4 of 3 and 8e-5 of 6: 3.3333e-5 + 1.3333e-5, at 3.6842 degrees of freedom.
TEST(CompareBounds, WelchByHandOfUnlikeNumbersOfRepetitions) {
  const ArmComparison arm = arm_of_logs(about(0.0, 0.01, 3), {0.09, 0.11, 0.1, 0.1, 0.09, 0.11});
  const double half = 2.8728662 * std::sqrt(1e-4 / 3.0 + 8e-5 / 6.0);
  EXPECT_NEAR(arm.ci95.value()[0], std::exp(0.1 - half), 1e-6);
  EXPECT_NEAR(arm.ci95.value()[1], std::exp(0.1 + half), 1e-6);
}

TEST(CompareBounds, BeyondTheToleranceIsNotTheSame) {
  EXPECT_EQ(arm_of_logs(about(0.0, 1e-4, 3), about(-0.03, 1e-4, 3)).change, Change::kSlower);
  EXPECT_EQ(arm_of_logs(about(0.0, 1e-4, 3), about(0.03, 1e-4, 3)).change, Change::kFaster);
}

// Half-widths of three against three: 2.267 deviations at 95 %, 3.759 at 99 %.
TEST(CompareBounds, TheSameMayBeUnknownByTwiceTheToleranceAtMost) {
  EXPECT_EQ(arm_of_logs(about(0.0, 0.013, 3), about(0.0, 0.013, 3)).change, Change::kSame);
  EXPECT_EQ(arm_of_logs(about(0.0, 0.013, 3), about(0.015, 0.013, 3)).change, Change::kUnsure)
      << "0.986 to 1.046";
  EXPECT_EQ(arm_of_logs(about(0.0, 0.013, 3), about(-0.015, 0.013, 3)).change, Change::kUnsure)
      << "0.957 to 1.015";
}

// Computed apart from this program; the side of 20 keeps them: with both sides as few, 16.
TEST(CompareBounds, RepetitionsThatTheShorterSideNeeds) {
  const std::vector<double> few = about(0.0, 0.08, 3);
  const std::vector<double> many = about(0.1, 0.1, 20);
  EXPECT_EQ(arm_of_logs(few, many).needed_n, 12);
  EXPECT_EQ(arm_of_logs(many, few).needed_n, 12);
}

TEST(CompareBounds, CollectivesBeyondTheTolerance) {
  const auto of_median = [](double median_s) {
    RunRecord record = full_of_logs({0.0});
    record.trials.clear();
    record.collectives = {sample_collectives().at(0)};
    record.collectives[0].time_s = {.median = median_s, .p95 = 1.001 * median_s};
    return record;
  };
  const auto change = [&](double median_s) {
    return compare_reports(of_median(1.0), of_median(median_s)).collectives.at(0).change;
  };
  EXPECT_EQ(change(1.01), Change::kSame);
  EXPECT_EQ(change(1.03), Change::kSlower);
  EXPECT_EQ(change(0.97), Change::kFaster);
}

TEST(CompareBounds, LargerImagesAreOtherWork) {
  RunRecord small = sample_record();
  small.workload->forward_macs_per_sample = 100.0;
  RunRecord large = sample_record();
  large.workload->forward_macs_per_sample = 140.0;
  for (const auto& [baseline, candidate] : {std::pair(small, large), std::pair(large, small)}) {
    EXPECT_THAT(tests::error_of([&] { static_cast<void>(compare_reports(baseline, candidate)); }),
                HasSubstr("--image-size"));
  }
}

// Left out, it would leave its arm as fast as before.
TEST(CompareBounds, ARepetitionThatStoodStillIsNotLeftOut) {
  const RunRecord before = full_of_logs(about(0.0, 0.01, 3));
  RunRecord after = before;
  after.trials[0].repetitions[1].samples_per_second = 0.0;
  const auto message = [&] {
    return tests::error_of([&] { static_cast<void>(compare_reports(before, after)); },
                           core::ErrorCode::kData);
  };
  EXPECT_THAT(message(), HasSubstr("trial full has a repetition that counts with 0 samples/s"));
  after.trials[0].repetitions[1].discarded = "disturbed";
  EXPECT_EQ(message(), "no error") << "it does not count";
}

}  // namespace
}  // namespace dlbench::reports
