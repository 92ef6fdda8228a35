// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/verification/tensor_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dlbench::harness {
namespace {

TEST(Difference, KeepsANanOfEitherPart) {
  Difference finite;
  finite.add(1.0, 1.5);
  Difference with_nan;
  with_nan.add(std::numeric_limits<double>::quiet_NaN(), 1.0);
  with_nan.add(1.0, 2.0);
  EXPECT_TRUE(std::isnan(with_nan.max_difference));
  Difference both = finite;
  both.add(with_nan);
  EXPECT_TRUE(std::isnan(both.max_difference));
  with_nan.add(finite);
  EXPECT_TRUE(std::isnan(with_nan.max_difference));
  EXPECT_EQ(finite.max_difference, 0.5);
}

}  // namespace
}  // namespace dlbench::harness
