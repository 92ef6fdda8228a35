// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/least_squares.h"

#include "engine/core/rng.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dlbench::harness {
namespace {

std::vector<std::vector<double>> line_rows(std::size_t count) {
  std::vector<std::vector<double>> rows;
  for (std::size_t index = 0; index < count; ++index) {
    rows.push_back({1.0, static_cast<double>(index + 1)});
  }
  return rows;
}

TEST(LeastSquares, FindsTheCoefficientsOfExactData) {
  const NonnegativeLeastSquares regression(line_rows(5), std::vector<double>(5, 1.0));
  const LinearFit fit = regression.fit(std::vector<double>{5, 7, 9, 11, 13});
  EXPECT_NEAR(fit.coefficients[0], 3.0, 1e-9);
  EXPECT_NEAR(fit.coefficients[1], 2.0, 1e-9);
  EXPECT_NEAR(fit.weighted_squares, 0.0, 1e-15);
  EXPECT_EQ(fit.degrees(), 3);
}

TEST(LeastSquares, AgreesWithTheTextbookLine) {
  // y = 1, 3, 2, 5 at x = 1 ... 4: slope 1.1, intercept 0, residuals -0.1, 0.8, -1.3, 0.6.
  const NonnegativeLeastSquares regression(line_rows(4), std::vector<double>(4, 1.0));
  const LinearFit fit = regression.fit(std::vector<double>{1.2, 3.2, 2.2, 5.2});
  EXPECT_NEAR(fit.coefficients[0], 0.2, 1e-12);
  EXPECT_NEAR(fit.coefficients[1], 1.1, 1e-12);
  EXPECT_NEAR(fit.weighted_squares, 2.7, 1e-12);
  // Variance 2.7 / 2; sum (x - mean)^2 = 5; t(2) = 4.3027.
  EXPECT_NEAR(*fit.standard_errors[1], std::sqrt(1.35 / 5.0), 1e-12);
  EXPECT_NEAR(fit.interval(1)->upper, 1.1 + 4.302653 * std::sqrt(0.27), 1e-5);
  EXPECT_EQ(fit.interval(1)->lower, 0.0) << "no coefficient is less";
  EXPECT_NEAR(fit.residual(), std::sqrt(2.7 / 2.0), 1e-12);
}

TEST(LeastSquares, NoCoefficientIsNegative) {
  const NonnegativeLeastSquares regression(line_rows(4), std::vector<double>(4, 1.0));
  const LinearFit fit = regression.fit(std::vector<double>{0.5, 2, 4, 6});  // free intercept -1.5
  EXPECT_EQ(fit.coefficients[0], 0.0);
  EXPECT_NEAR(fit.coefficients[1], (0.5 + 4 + 12 + 24) / 30.0, 1e-12);  // through the origin
  EXPECT_FALSE(fit.interval(0).has_value());
  EXPECT_EQ(fit.free, 1);
  const LinearFit none = regression.fit(std::vector<double>{-1, -2, -3, -4});
  EXPECT_EQ(none.coefficients, std::vector<double>(2, 0.0));
}

TEST(LeastSquares, OfEqualFeaturesTheFirstIsKept) {
  const NonnegativeLeastSquares regression({{1, 2, 1}, {2, 4, 1}, {3, 6, 1}},
                                           std::vector<double>(3, 1.0));
  const LinearFit fit = regression.fit(std::vector<double>{2, 4, 6});
  EXPECT_NEAR(fit.coefficients[0], 2.0, 1e-9);
  EXPECT_EQ(fit.coefficients[1], 0.0);
  EXPECT_EQ(fit.coefficients[2], 0.0);
}

TEST(LeastSquares, WeightsDecideWhichObservationCounts) {
  const NonnegativeLeastSquares regression({{1}, {1}}, {3.0, 1.0});
  EXPECT_NEAR(regression.fit(std::vector<double>{1.0, 5.0}).coefficients[0], 2.0, 1e-12);
}

TEST(LeastSquares, IntervalsCoverTheTruth) {
  const NonnegativeLeastSquares regression(line_rows(8), std::vector<double>(8, 1.0));
  core::RandomStream random(1, 0);
  int covered = 0;
  constexpr int kTries = 2000;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    std::vector<double> y;
    for (int index = 0; index < 8; ++index) {
      y.push_back(20.0 + 2.0 * (index + 1) + static_cast<double>(random.normal()));
    }
    const auto interval = regression.fit(y).interval(1);
    covered += interval->lower <= 2.0 && 2.0 <= interval->upper ? 1 : 0;
  }
  EXPECT_NEAR(covered / static_cast<double>(kTries), 0.95, 0.015);  // 3 standard errors
}

// What comes out low must not weigh more for it: the mean of 1 and 3 is 2, and not 1.2 as with
// weights 1 / y^2.
TEST(RelativeLeastSquares, WeighsByWhatItExpects) {
  const std::vector<double> y = {1.0, 3.0};
  const RelativeFit fit = fit_relative({{1}, {1}}, y, y);
  EXPECT_NEAR(fit.linear.coefficients[0], 2.0, 1e-9);
  EXPECT_NEAR(fit.linear.weighted_squares, 2.0 * 0.25, 1e-9);
  EXPECT_NEAR(fit.expected[0], 2.0, 1e-9);
}

TEST(RelativeLeastSquares, KeepsToTheGuessWhereNothingIsExpected) {
  // The second feature alone explains all but the first row, for which it expects 0.
  const std::vector<double> y = {1e-3, 2.0, 4.0};
  const RelativeFit fit = fit_relative({{0, 0}, {0, 1}, {0, 2}}, y, y);
  EXPECT_NEAR(fit.linear.coefficients[1], 2.0, 1e-9);
  EXPECT_EQ(fit.expected[0], 1e-3);
  EXPECT_NEAR(fit.linear.weighted_squares, 1.0, 1e-9);
}

TEST(RelativeLeastSquares, TheStartDoesNotMatter) {
  const std::vector<double> y = {3.5, 4.6, 7.9, 8.5, 11.0};
  const RelativeFit from_y = fit_relative(line_rows(5), y, y);
  const RelativeFit from_one = fit_relative(line_rows(5), y, std::vector<double>(5, 1.0));
  EXPECT_NEAR(from_y.linear.coefficients[0], from_one.linear.coefficients[0], 1e-5);
  EXPECT_NEAR(from_y.linear.coefficients[1], from_one.linear.coefficients[1], 1e-5);
}

}  // namespace
}  // namespace dlbench::harness
