// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The verdicts that figures published in tutorials lead to.
#include "harness/analysis/attribution.h"
#include "reports/vocabulary.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using reports::RoundRate;

/// Three rounds with this mean and this population standard deviation, the form in which the
/// tutorials state their figures. `turn` rotates the deviations, so that arms are not correlated.
std::vector<RoundRate> published(double mean, double deviation, int turn) {
  const double step = deviation / std::sqrt(2.0 / 3.0);
  const std::array<double, 3> deviations = {-step, 0.0, step};
  std::vector<RoundRate> arm;
  for (int round = 0; round < 3; ++round) {
    arm.push_back({round, mean + deviations.at(static_cast<std::size_t>((round + turn) % 3))});
  }
  return arm;
}

std::string tutorial(double io,
                     double io_deviation,
                     double synthetic,
                     double synthetic_deviation,
                     double full,
                     double full_deviation) {
  AttributionInput input;
  input.io = published(io, io_deviation, 0);
  input.synthetic_host = published(synthetic, synthetic_deviation, 1);
  input.full = published(full, full_deviation, 2);
  return std::string(reports::word(attribute(input).value().verdict));
}

TEST(Attribution, TheTutorialsOwnFigures) {
  // V100, native loader with 7 workers, then DALI.
  EXPECT_EQ(tutorial(4.750, 0.122, 102.148, 0.079, 4.212, 0.065), "input_bound");
  EXPECT_EQ(tutorial(582.159, 40.639, 102.855, 0.141, 101.400, 0.020), "compute_bound");
  EXPECT_EQ(tutorial(907.329, 69.924, 270.235, 0.014, 260.223, 1.274), "compute_bound");
  EXPECT_EQ(tutorial(602.045, 60.880, 298.335, 0.317, 281.767, 7.210), "compute_bound");
  EXPECT_EQ(tutorial(1303.459, 0.094, 294.373, 0.021, 285.010, 0.068), "compute_bound");
  // A100: 2 workers, DALI with TF32, fp16, and all optimisations.
  EXPECT_EQ(tutorial(84.5, 0.5, 481.6, 1.5, 83.2, 0.4), "input_bound");
  EXPECT_EQ(tutorial(943.6, 5.0, 593.0, 1.0, 578.1, 1.0), "compute_bound");
  EXPECT_EQ(tutorial(929.6, 5.0, 820.3, 1.0, 665.8, 1.0), "contention_bound");
  EXPECT_EQ(tutorial(936.8, 5.0, 893.2, 1.0, 683.6, 1.0), "balanced");
  // 16 workers, io 234.5 +- 47.5 over 3 trials: 95 % of it is anywhere from 90 to 400.
  EXPECT_EQ(tutorial(234.5, 47.5, 415.4, 18.7, 166.9, 2.4), "unsure");
}

}  // namespace
}  // namespace dlbench::harness
