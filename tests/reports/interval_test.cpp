// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/interval.h"

#include "engine/core/check.h"
#include "engine/core/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dlbench::reports {
namespace {

TEST(Interval, StudentFactorsMatchTheTable) {
  // Two-sided 95 %, from the usual table of Student's t.
  EXPECT_NEAR(student_t_factor(1, 0.95), 12.706, 1e-3);
  EXPECT_NEAR(student_t_factor(2, 0.95), 4.303, 1e-3);
  EXPECT_NEAR(student_t_factor(4, 0.95), 2.776, 1e-3);
  EXPECT_NEAR(student_t_factor(9, 0.95), 2.262, 1e-3);
  EXPECT_NEAR(student_t_factor(19, 0.99), 2.861, 1e-3);
}

TEST(Interval, OfTheMeanByHand) {
  const std::vector<double> values = {9.0, 10.0, 11.0, 10.0, 10.0};
  const Interval interval = mean_interval(values).value();
  const double half = 2.7764451 * std::sqrt(0.5) / std::sqrt(5.0);
  EXPECT_EQ(interval.n, 5);
  EXPECT_DOUBLE_EQ(interval.estimate, 10.0);
  EXPECT_NEAR(interval.lower, 10.0 - half, 1e-6);
  EXPECT_NEAR(interval.upper, 10.0 + half, 1e-6);
  EXPECT_NEAR(interval.half_width(), half, 1e-6);
  EXPECT_EQ(interval.method, "student_t over repetition means");
}

TEST(Interval, NeedsTwoNumbers) {
  const std::vector<double> one = {9.0};
  EXPECT_FALSE(mean_interval({}).has_value());
  EXPECT_FALSE(mean_interval(one).has_value());
  EXPECT_FALSE(mean_interval_of_amounts(one).has_value());
}

TEST(Interval, OfAmountsEndsAtZero) {
  const std::vector<double> wild = {1.0, 9.0};
  EXPECT_LT(mean_interval(wild).value().lower, 0.0);
  const Interval cut = mean_interval_of_amounts(wild).value();
  EXPECT_EQ(cut.lower, 0.0);
  EXPECT_EQ(cut.upper, mean_interval(wild).value().upper);
  const std::vector<double> steady = {9.0, 10.0, 11.0};
  EXPECT_EQ(mean_interval_of_amounts(steady).value().lower, mean_interval(steady).value().lower);
}

TEST(Interval, PairsByRoundAndSkipsRoundsThatOneArmLacks) {
  const std::vector<RoundRate> full = {{0, 50.0}, {1, 60.0}, {3, 70.0}, {4, 80.0}};
  const std::vector<RoundRate> step = {{4, 160.0}, {0, 100.0}, {1, 120.0}, {2, 999.0}};
  const std::vector<double> ratios = paired_log_ratios(full, step);
  ASSERT_EQ(ratios.size(), 3U);
  for (const double ratio : ratios) {
    EXPECT_NEAR(ratio, std::log(0.5), 1e-12);
  }
  const Interval interval = paired_ratio_interval(full, step).value();
  EXPECT_NEAR(interval.estimate, 0.5, 1e-12);
  EXPECT_EQ(interval.n, 3);
}

/// Drift that both arms share must not widen the interval of their ratio: that is what pairing is
/// for.
TEST(Interval, PairingRemovesCommonDrift) {
  core::RandomStream random(3, 0);
  std::vector<RoundRate> full;
  std::vector<RoundRate> step;
  std::vector<double> full_rates;
  for (int round = 0; round < 10; ++round) {
    const double drift = 1.0 + 0.05 * round;
    full.push_back({round, 80.0 * drift * (1.0 + 0.002 * random.normal())});
    step.push_back({round, 100.0 * drift * (1.0 + 0.002 * random.normal())});
    full_rates.push_back(full.back().rate);
  }
  const Interval ratio = paired_ratio_interval(full, step).value();
  const Interval mean = mean_interval(full_rates).value();
  EXPECT_NEAR(ratio.estimate, 0.8, 0.004);
  EXPECT_LT(ratio.half_width() / ratio.estimate, 0.005);
  EXPECT_GT(mean.half_width() / mean.estimate, 0.05);
}

TEST(Interval, RefusesWhatCannotBePaired) {
  const std::vector<RoundRate> twice = {{0, 1.0}, {0, 2.0}};
  const std::vector<RoundRate> zero = {{0, 0.0}};
  const std::vector<RoundRate> good = {{0, 1.0}};
  EXPECT_THROW(static_cast<void>(paired_log_ratios(twice, good)), core::CheckFailure);
  EXPECT_THROW(static_cast<void>(paired_log_ratios(zero, good)), core::CheckFailure);
  EXPECT_FALSE(paired_ratio_interval(good, good).has_value()) << "one round has no interval";
}

/// The 95 % interval covers the truth 95 times in 100, at every n that the stopping rule looks at;
/// the bootstrap at small n would not.
TEST(Interval, CoversWhatItSays) {
  constexpr int kRuns = 6000;
  core::RandomStream random(11, 0);
  for (const int n : {5, 10, 14, 20}) {
    int covered = 0;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<double> values;
      for (int index = 0; index < n; ++index) {
        values.push_back(100.0 + 2.0 * random.normal());
      }
      const Interval interval = mean_interval(values).value();
      covered += interval.lower <= 100.0 && 100.0 <= interval.upper ? 1 : 0;
    }
    // Standard error of the share: sqrt(.95 * .05 / 6000) = 0.0028; the bound is 3.5 of them.
    EXPECT_NEAR(static_cast<double>(covered) / kRuns, 0.95, 0.01) << "n = " << n;
  }
}

}  // namespace
}  // namespace dlbench::reports
