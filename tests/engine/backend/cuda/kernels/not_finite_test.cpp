// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A NaN must reach the loss to be found, so no kernel may turn one into a number; and what is
// dropped is dropped, infinities too.
#include "engine/backend/cuda/kernels/batch_norm.h"
#include "engine/backend/cuda/kernels/dropout.h"
#include "engine/backend/cuda/kernels/pointwise.h"
#include "tests/engine/backend/cuda/kernels/emulated_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

constexpr Index kFewChannels = 4;
constexpr Index kFewPositions = 6;
constexpr ChannelsLast kFewRows{
    .batch = 2, .spatial = 3, .channels = kFewChannels, .stride = kFewChannels};
constexpr Index kSpoilt = 9;  ///< an element of channel 1
using FewElements = std::array<float, kFewChannels * kFewPositions>;
using FewNumbers = std::array<float, kFewChannels>;

/// Ones but for a NaN.
FewElements with_a_nan() {
  FewElements x;
  x.fill(1.0F);
  x[kSpoilt] = NAN;
  return x;
}

void expect_one_nan(const FewElements& y, const char* what) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(std::isnan(y[i]), i == kSpoilt) << what << ", element " << i;
  }
}

/// A batch normalisation of x, and its gradients.
struct SpoiltNorm {
  alignas(16) FewElements x = with_a_nan();
  alignas(16) FewElements y{};
  alignas(16) FewElements dx{};
  alignas(16) FewNumbers gamma{1.0F, 1.0F, 1.0F, 1.0F};
  alignas(16) FewNumbers beta{};
  alignas(16) FewNumbers running_mean{};
  alignas(16) FewNumbers running_variance{1.0F, 1.0F, 1.0F, 1.0F};
  alignas(16) FewNumbers mean{};
  alignas(16) FewNumbers rstd{};
  alignas(16) FewNumbers dgamma{};
  alignas(16) FewNumbers dbeta{};
  std::vector<float> scratch = poisoned_scratch(batch_norm_scratch_bytes(kFewRows, DType::kF32));
  HostLauncher launcher;

  void forward(bool relu, bool relu_after, bool inference) {
    y.fill(0.0F);
    run_batch_norm(launcher,
                   {.x = x.data(),
                    .gamma = gamma.data(),
                    .beta = beta.data(),
                    .running_mean = running_mean.data(),
                    .running_variance = running_variance.data(),
                    .mean = mean.data(),
                    .rstd = rstd.data(),
                    .y = y.data(),
                    .layout = kFewRows,
                    .attributes = {},
                    .relu = relu,
                    .relu_after = relu_after,
                    .scratch = scratch.data()},
                   inference);
  }
  void backward(const FewElements& dy, bool relu) {
    run_batch_norm_backward(launcher,
                            {.dy = dy.data(),
                             .x = x.data(),
                             .gamma = gamma.data(),
                             .beta = beta.data(),
                             .mean = mean.data(),
                             .rstd = rstd.data(),
                             .dx = dx.data(),
                             .dgamma = dgamma.data(),
                             .dbeta = dbeta.data(),
                             .layout = kFewRows,
                             .relu = relu,
                             .scratch = scratch.data()});
  }
};

TEST(NotFinite, PassesReluAndABiasWithIt) {
  alignas(16) const FewElements x = with_a_nan();
  alignas(16) const FewNumbers bias{};
  alignas(16) FewElements y{};
  HostLauncher launcher;
  run_pointwise(launcher, PointwiseOp::kRelu, {.a = x.data(), .y = y.data(), .layout = kFewRows});
  expect_one_nan(y, "relu");
  y = {};
  run_add_bias(
      launcher,
      {.x = x.data(), .bias = bias.data(), .y = y.data(), .layout = kFewRows, .relu = true});
  expect_one_nan(y, "bias and relu");
}

TEST(NotFinite, OfOneElementIsItsChannelsStatistics) {
  SpoiltNorm norm;
  for (const bool relu_after : {false, true}) {
    norm.forward(!relu_after, relu_after, false);
    for (std::size_t c = 0; c < kFewChannels; ++c) {
      const bool bad = c == kSpoilt % kFewChannels;
      EXPECT_EQ(std::isnan(norm.mean[c]), bad) << c;
      EXPECT_EQ(std::isnan(norm.rstd[c]), bad) << c;
      EXPECT_EQ(std::isnan(norm.running_variance[c]), bad) << c;
      for (std::size_t i = c; i < norm.y.size(); i += kFewChannels) {
        EXPECT_EQ(std::isnan(norm.y[i]), bad) << "element " << i;
      }
    }
  }
}

TEST(NotFinite, PassesAnInferenceWithRelu) {
  SpoiltNorm norm;
  norm.forward(true, false, true);
  expect_one_nan(norm.y, "relu");
  norm.forward(false, true, true);
  expect_one_nan(norm.y, "relu after");
}

// Where gamma and beta begin at zero, all of the ReLU's input is 0.
TEST(FusedBatchNorm, CutsTheGradientAtZero) {
  SpoiltNorm norm;
  norm.x.fill(3.0F);
  norm.gamma.fill(0.0F);
  norm.forward(true, false, false);
  alignas(16) FewElements dy;
  dy.fill(2.0F);
  norm.backward(dy, true);
  EXPECT_EQ(norm.dbeta, FewNumbers{});
  EXPECT_EQ(norm.dx, FewElements{});
  norm.backward(dy, false);
  EXPECT_EQ(norm.dbeta, (FewNumbers{12.0F, 12.0F, 12.0F, 12.0F}));
}

TEST(Dropout, OfAnInfinityIsZero) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  // In tiles of four rows, of one, and element by element.
  for (const ChannelsLast& layout :
       {ChannelsLast{.batch = 2, .spatial = 8, .channels = 4, .stride = 4},
        ChannelsLast{.batch = 2, .spatial = 6, .channels = 4, .stride = 4},
        ChannelsLast{.batch = 2, .spatial = 6, .channels = 3, .stride = 3}}) {
    alignas(16) std::array<float, 64> x;
    x.fill(kInfinite);
    alignas(16) std::array<float, 64> y{};
    const std::int64_t seed = 1;
    const std::int64_t step = 0;
    const std::int64_t first_sample = 0;
    HostLauncher launcher;
    run_dropout(launcher,
                {.x = x.data(),
                 .y = y.data(),
                 .layout = layout,
                 .seed = &seed,
                 .step = &step,
                 .first_sample = &first_sample,
                 .attributes = {.rate = 0.5F, .key = 0}});
    const auto end = y.begin() + layout.elements();
    EXPECT_EQ(std::count(y.begin(), end, 0.0F) + std::count(y.begin(), end, kInfinite),
              layout.elements());
    EXPECT_GT(std::count(y.begin(), end, 0.0F), 0);
  }
}

}  // namespace
}  // namespace dlbench::backend::cuda
