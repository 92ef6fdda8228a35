// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The figures of an attribution by hand.
#include "harness/analysis/attribution.h"

#include <gtest/gtest.h>

#include <vector>

namespace dlbench::harness {
namespace {

std::vector<reports::RoundRate> two_rounds(double rate) { return {{0, rate}, {1, rate}}; }

TEST(PredictedFull, IsTheSlowerOfLoaderAndStepWithItsCopy) {
  AttributionInput input;
  input.io = two_rounds(200.0);
  input.synthetic_host = two_rounds(100.0);
  input.synthetic_device = two_rounds(150.0);
  EXPECT_NEAR(predicted_full(input).value(), 100.0, 1e-9);
  input.io = two_rounds(80.0);
  EXPECT_NEAR(predicted_full(input).value(), 80.0, 1e-9);
}

TEST(PredictedFull, ManyProcessorsMakeNeitherFaster) {
  AttributionInput input;
  input.io = two_rounds(200.0);
  input.synthetic_host = two_rounds(100.0);
  input.shared_processors = true;
  input.io_cpu_s_per_sample = 0.004;
  input.synthetic_cpu_s_per_sample = 0.006;
  input.cores = 10;
  EXPECT_NEAR(predicted_full(input).value(), 100.0, 1e-9);
  input.cpu_capacity = 0.5;
  EXPECT_NEAR(predicted_full(input).value(), 50.0, 1e-9);
}

TEST(AttributionFigures, APartIsItsShareOfTheTimeOfASample) {
  AttributionInput input;
  input.io = two_rounds(200.0);
  input.synthetic_host = two_rounds(100.0);
  input.full = two_rounds(50.0);
  const auto record = attribute(input).value();
  EXPECT_NEAR(record.components.at(0).share, 0.5, 1e-12);
  EXPECT_NEAR(record.components.at(0).s_per_sample, 0.01, 1e-12);
}

}  // namespace
}  // namespace dlbench::harness
