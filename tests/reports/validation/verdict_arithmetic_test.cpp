// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/validation/forgery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dlbench::reports {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// io 20, synthetic 5, nocomm 8, full 4.4: 33 % of the time is communication, 12 % input. Without it
// 1.49 times as fast; earlier reports have 8 / 4.4, as if input were gone, too.
TEST(VerdictArithmetic, TheGainsOfEarlierReportsAreTaken) {
  RunRecord record = sample_record();
  record.trials.push_back(sample_trial(TrialKind::kSynthetic, "nocomm", {8.0, 8.08, 7.92}));
  record.attribution = sample_attribution(
      record.trials[0], record.trials[1], record.trials[2], &record.trials.back());
  ASSERT_EQ(record.attribution->verdict, Verdict::kCommunicationBound);
  const auto problems_with = [&record](const char* text, double gain) {
    record.attribution->advice = {{std::string("less communication: up to ") + text, gain}};
    return problems_of(record);
  };
  const double full = record.trials[2].throughput->samples_per_second.mean;
  const double step = record.trials[1].throughput->samples_per_second.mean;
  const double nocomm = record.trials.back().throughput->samples_per_second.mean;
  const auto about_gain = Contains(HasSubstr("expected_gain"));
  EXPECT_THAT(problems_with("1.5x", 1.0 / (1.0 - full / step + full / nocomm)), Not(about_gain));
  EXPECT_THAT(problems_with("1.8x", nocomm / full), Not(about_gain));
  EXPECT_THAT(problems_with("1.6x", 1.6), about_gain);
}

// They took what the step limits on several ranks for computing, though nobody had measured the
// step without communication.
TEST(VerdictArithmetic, AVerdictOfAnEarlierReportOfSeveralRanksIsTaken) {
  RunRecord record = sample_record();
  TrialRecord& full = record.trials[2];
  const std::optional<std::string> series = full.series;
  full = sample_trial(TrialKind::kFull, std::nullopt, {4.95, 5.0, 4.9});
  full.series = series;
  record.attribution = sample_attribution(record.trials[0], record.trials[1], full);
  ASSERT_EQ(record.attribution->verdict, Verdict::kComputeBound);
  full.ranks = 2;
  const auto about_verdict = Contains(HasSubstr("attribution.verdict"));
  EXPECT_THAT(problems_of(record), Not(about_verdict));
  record.attribution->verdict = Verdict::kInputBound;
  EXPECT_THAT(problems_of(record), about_verdict);
}

}  // namespace
}  // namespace dlbench::reports
