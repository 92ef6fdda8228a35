// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses over classes at the ends of what they are given. Those over pixels: dense_packs_test.cpp.
#include "engine/backend/cuda/kernels/losses.h"

#include "engine/core/rng.h"
#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(LogSoftmax, OfMoreClassesThanThreadsHasProbabilitiesThatSumToOne) {
  const Matrix shape{.rows = 3, .columns = 1000, .stride = 1000};
  std::vector<float> x(3000);
  core::RandomStream random(1, 1);
  for (float& logit : x) {
    logit = random.uniform(-60.0F, 60.0F);
  }
  std::vector<float> y(3000, NAN);
  HostLauncher launcher;
  run_log_softmax(launcher, shape, x.data(), y.data());
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < 1000; ++k) {
      sum += std::exp(static_cast<double>(y[row * 1000 + k]));
      EXPECT_NEAR(y[row * 1000 + k] - y[row * 1000], x[row * 1000 + k] - x[row * 1000], 3e-5F);
    }
    EXPECT_NEAR(sum, 1.0, 2e-5);
  }
}

std::vector<float> log_softmax(const std::vector<float>& x) {
  const auto columns = static_cast<Index>(x.size());
  std::vector<float> y(x.size(), NAN);
  HostLauncher launcher;
  run_log_softmax(launcher, {.rows = 1, .columns = columns, .stride = columns}, x.data(), y.data());
  return y;
}

// Wherever in the tree two of them meet.
TEST(LogSoftmax, OfClassesThatAreRuledOutIsThatOfTheOthers) {
  for (std::size_t first = 0; first < 10; ++first) {
    for (std::size_t second = first + 1; second < 10; ++second) {
      std::vector<float> x(10, 2.0F);
      x[first] = x[second] = -kInfinity;
      const std::vector<float> y = log_softmax(x);
      for (std::size_t k = 0; k < 10; ++k) {
        if (k == first || k == second) {
          EXPECT_EQ(y[k], -kInfinity);
        } else {
          EXPECT_NEAR(y[k], -std::log(8.0F), 1e-6F) << k << " beside " << first << ", " << second;
        }
      }
    }
  }
}

TEST(LogSoftmax, OfNothingButInfinitiesOrWithANaNIsNaN) {
  EXPECT_THAT(log_softmax(std::vector<float>(10, -kInfinity)), ::testing::Each(::testing::IsNan()));
  EXPECT_THAT(log_softmax({0.0F, NAN, 1.0F}), ::testing::Each(::testing::IsNan()));
  EXPECT_THAT(log_softmax({0.0F, kInfinity, 1.0F, kInfinity}),
              ::testing::Contains(::testing::IsNan()));
}

TEST(NllLoss, OfALabelOutsideTheClassesIsNaN) {
  const std::vector<float> logp(6, -1.0F);
  float loss = 0.0F;
  HostLauncher launcher;
  for (const std::int32_t bad : {-1, 3}) {
    const std::int32_t labels[] = {0, bad};
    run_nll_loss(launcher, {.rows = 2, .columns = 3, .stride = 3}, logp.data(), labels, &loss);
    EXPECT_TRUE(std::isnan(loss)) << bad;
  }
}

// Padding lanes hold numbers, but are no classes.
TEST(NllLoss, OfALabelAmongThePaddingLanesIsNaN) {
  const std::vector<float> logp(16, -1.0F);
  float loss = 0.0F;
  HostLauncher launcher;
  for (const std::int32_t label : {2, 3, 7}) {
    const std::int32_t labels[] = {0, label};
    run_nll_loss(launcher, {.rows = 2, .columns = 3, .stride = 8}, logp.data(), labels, &loss);
    EXPECT_EQ(std::isnan(loss), label > 2) << label;
  }
}

}  // namespace
}  // namespace dlbench::backend::cuda
