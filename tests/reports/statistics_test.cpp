// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics.h"

#include "engine/core/check.h"
#include "reports/doubts.h"
#include "reports/statistics_records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace dlbench::reports {
namespace {

TEST(Summary, AnEmptySetHasNone) {
  EXPECT_FALSE(summarize({}).has_value());
  EXPECT_FALSE(step_time_record({}).has_value());
}

TEST(Summary, OneNumberHasNoSpread) {
  const std::vector<double> one = {3.0};
  const Summary summary = summarize(one).value();
  EXPECT_EQ(summary.n, 1);
  EXPECT_EQ(summary.mean, 3.0);
  EXPECT_FALSE(summary.stddev.has_value());
  EXPECT_EQ(summary.mad, 0.0);
}

TEST(Summary, MatchesHandComputedFigures) {
  const std::vector<double> values = {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
  const Summary summary = summarize(values).value();
  EXPECT_DOUBLE_EQ(summary.mean, 5.0);
  EXPECT_DOUBLE_EQ(summary.stddev.value(), std::sqrt(32.0 / 7.0));  // not / 8
  EXPECT_DOUBLE_EQ(summary.median, 4.5);
  EXPECT_DOUBLE_EQ(summary.mad, 0.5);  // deviations .5 .5 .5 .5 .5 2.5 2.5 4.5
  EXPECT_EQ(summary.min, 2.0);
  EXPECT_EQ(summary.max, 9.0);
}

TEST(Summary, TheMeanOfEqualNumbersIsThatNumber) {
  const std::vector<double> values(7, 0.1);
  EXPECT_EQ(summarize(values)->mean, 0.1);
}

TEST(Summary, PercentilesInterpolateBetweenOrderStatistics) {
  // numpy.percentile([1, 2, 3, 4, 10], [0, 25, 50, 90, 95, 99, 100])
  const std::vector<double> sorted = {1.0, 2.0, 3.0, 4.0, 10.0};
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.25), 2.0);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.5), 3.0);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.9), 7.6);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.95), 8.8);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.99), 9.76);
  EXPECT_DOUBLE_EQ(percentile(sorted, 1.0), 10.0);
  EXPECT_THROW(static_cast<void>(percentile(sorted, 1.1)), core::CheckFailure);
}

// Two wild repetitions: mean 40, half-width 127 = t(1) * 10.
TEST(Summary, NoRateIsBelowZero) {
  const std::vector<double> rates = {30.0, 50.0};
  const RateSummary summary = rate_summary(rates).value();
  EXPECT_EQ(summary.ci95.value()[0], 0.0);
  EXPECT_NEAR(summary.ci95.value()[1], 40.0 + 127.062, 1e-3);
  EXPECT_NEAR(noise_of(summary), 127.062 / 40.0, 1e-4) << "that of the whole interval";
}

TEST(Summary, StepPercentilesComeFromUnsortedSteps) {
  const std::vector<double> steps = {10.0, 2.0, 4.0, 1.0, 3.0};
  const StepTimeRecord summary = step_time_record(steps).value();
  EXPECT_EQ(summary.n, 5);
  EXPECT_DOUBLE_EQ(summary.median, 3.0);
  EXPECT_DOUBLE_EQ(summary.p90, 7.6);
  EXPECT_DOUBLE_EQ(summary.p95, 8.8);
  EXPECT_DOUBLE_EQ(summary.p99, 9.76);
  EXPECT_EQ(summary.min, 1.0);
  EXPECT_EQ(summary.max, 10.0);
}

TEST(Summary, CallsOfACollectiveAreToldFieldByField) {
  const std::vector<double> calls = {10.0, 2.0, 4.0, 1.0, 3.0};
  const CollectiveTimeRecord summary = collective_time_record(calls);
  EXPECT_DOUBLE_EQ(summary.median, 3.0);
  EXPECT_DOUBLE_EQ(summary.p95, 8.8);
  EXPECT_EQ(summary.mean, 4.0);
  EXPECT_EQ(summary.min, 1.0);
  EXPECT_EQ(summary.max, 10.0);
  EXPECT_EQ(summary.n, 5);
}

TEST(Summary, NanIsAProgrammerError) {
  const std::vector<double> values = {1.0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(static_cast<void>(summarize(values)), core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::reports
