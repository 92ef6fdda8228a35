// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace dlbench::conformance {
namespace {

using core::DType;
using core::HostTensor;
using core::Shape;
using ::testing::HasSubstr;

HostTensor tensor(const std::vector<double>& values) {
  HostTensor t(DType::kF32, Shape{static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    t.set(static_cast<std::int64_t>(i), values[i]);
  }
  return t;
}

TEST(Compare, MeasuresAgainstTheLargestMagnitude) {
  const HostTensor want = tensor({-10, 1});
  EXPECT_EQ(compare(tensor({-10, 1.05}), want, {.tolerance = 0.01}).verdict, Verdict::kAgrees);
  const Comparison far = compare(tensor({-10, 1.25}), want, {.tolerance = 0.01});
  EXPECT_EQ(far.verdict, Verdict::kDiffers);
  EXPECT_DOUBLE_EQ(far.worst, 0.025);
  EXPECT_THAT(far.detail, HasSubstr("element 1: 1.25, wanted 1 (error 0.025, tolerance 0.01)"));
}

TEST(Compare, NotANumberDiffers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(compare(tensor({1, nan}), tensor({1, 1}), {.tolerance = 1}).verdict, Verdict::kDiffers);
  EXPECT_EQ(compare(tensor({1, 1}), tensor({1, nan}), {.tolerance = 1}).verdict,
            Verdict::kMistrusted);
}

TEST(Compare, MostlyZeroIsMistrustedUnlessDeclared) {
  const HostTensor want = tensor({0, 0, 0, 0, 1});
  EXPECT_EQ(compare(want, want, {}).verdict, Verdict::kMistrusted);
  EXPECT_EQ(compare(want, want, {.may_be_mostly_zero = true}).verdict, Verdict::kAgrees);
}

TEST(Compare, DeclaredZerosMustBeZeros) {
  const HostTensor want = tensor({0, 0});
  EXPECT_EQ(
      compare(tensor({0, 1e-9}), want, {.tolerance = 0.1, .may_be_mostly_zero = true}).verdict,
      Verdict::kDiffers);
}

TEST(Compare, ABiasInsideOfTheToleranceIsFound) {
  std::vector<double> want(100, 1.0);
  std::vector<double> scattered = want;
  std::vector<double> leaning = want;
  for (std::size_t i = 0; i < want.size(); ++i) {
    scattered[i] += i % 2 == 0 ? 0.008 : -0.008;
    leaning[i] += 0.004;
  }
  EXPECT_EQ(compare(tensor(scattered), tensor(want), {.tolerance = 0.01}).verdict,
            Verdict::kAgrees);
  const Comparison found = compare(tensor(leaning), tensor(want), {.tolerance = 0.01});
  EXPECT_EQ(found.verdict, Verdict::kDiffers);
  EXPECT_THAT(found.detail, HasSubstr("leans to one side"));
}

TEST(Compare, AnotherShapeOrTypeDiffers) {
  EXPECT_THAT(compare(tensor({1, 2}), tensor({1}), {}).detail,
              HasSubstr("is f32 (2), wanted f32 (1)"));
  EXPECT_EQ(compare(tensor({1}).to(DType::kF64), tensor({1}), {}).verdict, Verdict::kDiffers);
}

}  // namespace
}  // namespace dlbench::conformance
