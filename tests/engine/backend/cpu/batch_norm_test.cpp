// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Moments that f32 sums lose digits of, where they are not taken about the mean.
#include "engine/backend/cpu/kernels/batch_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlbench::backend::cpu {
namespace {

/// x of one channel, as a row, to mean and variance.
struct Moments {
  double mean = 0.0;
  double variance = 0.0;
};

Moments exact(const std::vector<float>& x) {
  Moments m;
  for (const float value : x) {
    m.mean += static_cast<double>(value) / static_cast<double>(x.size());
  }
  for (const float value : x) {
    const double distance = static_cast<double>(value) - m.mean;
    m.variance += distance * distance / static_cast<double>(x.size());
  }
  return m;
}

Moments computed(const std::vector<float>& x) {
  const Geometry g{.spatial = static_cast<std::int64_t>(x.size())};
  const float gamma = 1.0F;
  const float beta = 0.0F;
  float running_mean = 0.0F;
  float running_variance = 0.0F;
  float mean = 0.0F;
  float rstd = 0.0F;
  std::vector<float> y(x.size());
  std::vector<double> scratch(static_cast<std::size_t>(batch_norm_scratch_bytes(g)) / 8 + 1);
  batch_norm_train<float>(g,
                          {.x = {x.data(), g.spatial},
                           .gamma = &gamma,
                           .beta = &beta,
                           .running_mean = &running_mean,
                           .running_variance = &running_variance,
                           .mean = &mean,
                           .rstd = &rstd,
                           .addend = {},
                           .y = {y.data(), g.spatial},
                           .momentum = 0.0F,
                           .epsilon = 0.0F,
                           .relu = false},
                          scratch.data());
  return {static_cast<double>(mean), 1.0 / (static_cast<double>(rstd) * static_cast<double>(rstd))};
}

/// A triangle between -1 and 1, of 16,384 elements: one chunk.
std::vector<float> small_numbers() {
  std::vector<float> x(16384);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i * 37 % 1001) / 500.0F - 1.0F;
  }
  return x;
}

void expect_exact(const std::vector<float>& x) {
  const Moments wanted = exact(x);
  const Moments got = computed(x);
  EXPECT_NEAR(got.variance, wanted.variance, 2e-6 * wanted.variance);
  const double last_bit = std::abs(wanted.mean) * 0x1p-23;
  EXPECT_NEAR(got.mean, wanted.mean, 2e-6 * std::sqrt(wanted.variance) + last_bit);
}

TEST(BatchNormMoments, OfSmallNumbers) { expect_exact(small_numbers()); }

TEST(BatchNormMoments, AnOutlierMaySitAnywhere) {
  for (const std::size_t place : {0U, 1U, 5000U, 16383U}) {
    std::vector<float> x = small_numbers();
    x[place] = 1000.0F;
    expect_exact(x);
  }
}

// The groups of sixteen that the origin of the sums is estimated from.
TEST(BatchNormMoments, OutliersThatMisleadTheEstimateOfTheMean) {
  std::vector<float> x = small_numbers();
  const std::size_t groups = x.size() / 16;
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t lane = 0; lane < 16; ++lane) {
      x[i * groups / 12 * 16 + lane] = 1000.0F;
    }
  }
  expect_exact(x);
}

TEST(BatchNormMoments, AMeanFarFromZero) {
  std::vector<float> x = small_numbers();
  for (float& value : x) {
    value += 1000.0F;
  }
  expect_exact(x);
}

TEST(BatchNormMoments, NotANumberGoesOn) {
  std::vector<float> x = small_numbers();
  x[77] = std::nanf("");
  const Moments got = computed(x);
  EXPECT_TRUE(std::isnan(got.mean));
  EXPECT_TRUE(std::isnan(got.variance));
}

}  // namespace
}  // namespace dlbench::backend::cpu
