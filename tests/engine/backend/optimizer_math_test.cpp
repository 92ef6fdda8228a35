// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The update rules in f32, as backends apply them, beside the same rules in f64.
#include "engine/backend/optimizer_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace dlbench::backend {
namespace {

template <typename Rule, typename T>
struct Weight {
  T parameter = 0;
  T m = 0;
  T v = 0;
  void update(const graph::OptimizerAttributes& attributes, const double* coefficients, T grad) {
    const Rule rule(attributes, 1.0, coefficients);
    rule(grad, parameter, m, v);
  }
};

/// The largest relative difference of what a parameter has moved after each of 1000 steps with one
/// gradient. Errors of sums stay below a few units in the last place; a constant that is off, as 1
/// - 0.999 in f32 is by 1.3e-5, shows.
template <template <typename> typename Rule>
double largest_difference() {
  const graph::OptimizerAttributes attributes{
      .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-7, .rho = 0.95};
  std::array<double, 8> coefficients{};
  coefficients.fill(1.0);
  Weight<Rule<float>, float> narrow;
  Weight<Rule<double>, double> wide;
  double largest = 0.0;
  for (std::int64_t step = 1; step <= 1000; ++step) {
    advance_coefficients(attributes, step, coefficients.data());
    narrow.update(attributes, coefficients.data(), 0.5F);
    wide.update(attributes, coefficients.data(), 0.5);
    largest =
        std::max(largest, std::abs(static_cast<double>(narrow.parameter) / wide.parameter - 1.0));
  }
  return largest;
}

TEST(UpdateRules, InF32AreThoseInF64ToRounding) {
  EXPECT_LT(largest_difference<AdamUpdate>(), 2e-6);
  EXPECT_LT(largest_difference<NadamUpdate>(), 2e-6);
  EXPECT_LT(largest_difference<AdadeltaUpdate>(), 2e-5);
}

}  // namespace
}  // namespace dlbench::backend
