// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels other than convolution against numbers worked out by hand.
#include "engine/core/error.h"
#include "engine/core/rng.h"
#include "tests/engine/backend/ref/kernel_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dlbench::backend::ref {
namespace {

using core::DType;
using core::Shape;
using graph::OpKind;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr double kF32 = 1e-6;  // a few roundings of an f32 result near 1

MATCHER_P(AllNear, tolerance, "") {
  return std::abs(std::get<0>(arg) - std::get<1>(arg)) <= tolerance;
}

auto near(const std::vector<double>& want, double tolerance = kF32) {
  return Pointwise(AllNear(tolerance), want);
}

TEST(RefBatchNorm, TrainUsesBiasedVarianceAndRunningValuesTheUnbiasedOne) {
  // Channel 0: 1 2 3 6, mean 3, biased variance 3.5, unbiased 14/3. Channel 1: constant.
  KernelCall call(OpKind::kBatchNorm,
                  graph::BatchNormAttributes{.momentum = 0.9F, .epsilon = 0.5F});
  call.input(f32({2, 2, 2}, {1, 2, 5, 5, 3, 6, 5, 5}))
      .input(f32({2}, {2, 3}))
      .input(f32({2}, {10, 20}))
      .update(f32({2}, {1, 1}))
      .update(f32({2}, {1, 1}))
      .output(DType::kF32, {2, 2, 2})
      .output(DType::kF32, {2})
      .output(DType::kF32, {2})
      .run();
  EXPECT_THAT(values(call.result(0)), ElementsAre(8, 9, 20, 20, 10, 13, 20, 20));
  EXPECT_THAT(values(call.result(1)), ElementsAre(3, 5));
  EXPECT_THAT(values(call.result(2)), near({0.5, 1 / std::sqrt(0.5)}));
  EXPECT_THAT(values(call.updated(0)), near({0.9 + 0.1 * 3, 0.9 + 0.1 * 5}));
  EXPECT_THAT(values(call.updated(1)), near({0.9 + 0.1 * 14 / 3, 0.9}));
}

TEST(RefBatchNorm, InferenceUsesTheRunningValues) {
  KernelCall call(OpKind::kBatchNormInference,
                  graph::BatchNormAttributes{.momentum = 0.9F, .epsilon = 1.0F});
  call.input(f32({1, 1, 2}, {4, 8}))
      .input(f32({1}, {3}))
      .input(f32({1}, {0.5}))
      .input(f32({1}, {2}))
      .input(f32({1}, {3}))
      .output(DType::kF32, {1, 1, 2})
      .run();
  EXPECT_THAT(values(call.result()), ElementsAre(3.5, 9.5));
}

TEST(RefBatchNorm, BackwardMatchesAHandComputedCase) {
  // xhat = -1, 1 (mean 2, rstd 1), dy = 1, 3: dbeta 4, dgamma 2,
  // dx = gamma rstd (dy - 2 - xhat): 2 (1 - 2 + 1) = 0, 2 (3 - 2 - 1) = 0; dy = (1, 1, ...) is odd
  KernelCall call(OpKind::kBatchNormBackward, graph::BatchNormAttributes{});
  call.input(f32({3, 1}, {1, 2, 6}))
      .input(f32({3, 1}, {1, 2, 3}))
      .input(f32({1}, {2}))
      .input(f32({1}, {2}))
      .input(f32({1}, {1}))
      .output(DType::kF32, {3, 1})
      .output(DType::kF32, {1})
      .output(DType::kF32, {1})
      .run();
  // xhat = -1 0 1: dbeta = 9, dgamma = 5, dx = 2 (dy - 3 - xhat 5 / 3)
  EXPECT_THAT(values(call.result(0)), near({2 * (-2 + 5.0 / 3), -2, 2 * (3 - 5.0 / 3)}));
  EXPECT_THAT(values(call.result(1)), ElementsAre(5));
  EXPECT_THAT(values(call.result(2)), ElementsAre(9));
}

TEST(RefPointwise, ReluKeepsPositiveNumbersAndNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  KernelCall call(OpKind::kRelu);
  call.input(f32({4}, {-2, 0, 3, nan})).output(DType::kF32, {4}).run();
  const std::vector<double> y = values(call.result());
  EXPECT_THAT(std::vector<double>(y.begin(), y.begin() + 3), ElementsAre(0, 0, 3));
  EXPECT_TRUE(std::isnan(y[3]));
}

TEST(RefPointwise, ReluBackwardPassesWhereTheOutputIsPositive) {
  KernelCall call(OpKind::kReluBackward);
  call.input(f32({3}, {5, 6, 7})).input(f32({3}, {0, 1, 2})).output(DType::kF32, {3}).run();
  EXPECT_THAT(values(call.result()), ElementsAre(0, 6, 7));
}

TEST(RefPointwise, SigmoidAndItsGradient) {
  KernelCall forward(OpKind::kSigmoid);
  forward.input(f32({3}, {0, 1, -1000})).output(DType::kF32, {3}).run();
  EXPECT_THAT(values(forward.result()), near({0.5, 0.7310585786, 0}));
  KernelCall backward(OpKind::kSigmoidBackward);
  backward.input(f32({2}, {4, 2})).input(f32({2}, {0.5, 0.25})).output(DType::kF32, {2}).run();
  EXPECT_THAT(values(backward.result()), ElementsAre(1, 0.375));
}

TEST(RefPointwise, AddMultiplyAndGates) {
  KernelCall sum(OpKind::kAdd);
  sum.input(f32({2}, {1, 2})).input(f32({2}, {10, 20})).output(DType::kF32, {2}).run();
  EXPECT_THAT(values(sum.result()), ElementsAre(11, 22));
  KernelCall product(OpKind::kMultiply);
  product.input(f32({2}, {3, 2})).input(f32({2}, {10, 20})).output(DType::kF32, {2}).run();
  EXPECT_THAT(values(product.result()), ElementsAre(30, 40));
  KernelCall gate(OpKind::kScaleChannels);
  gate.input(f32({1, 2, 1, 2}, {1, 2, 3, 4}))
      .input(f32({1, 2}, {10, 100}))
      .output(DType::kF32, {1, 2, 1, 2})
      .run();
  EXPECT_THAT(values(gate.result()), ElementsAre(10, 20, 300, 400));
  KernelCall dgate(OpKind::kScaleChannelsBackwardGate);
  dgate.input(f32({1, 2, 1, 2}, {1, 2, 3, 4}))
      .input(f32({1, 2, 1, 2}, {5, 6, 7, 8}))
      .output(DType::kF32, {1, 2})
      .run();
  EXPECT_THAT(values(dgate.result()), ElementsAre(17, 53));
}

TEST(RefPooling, GlobalAverageAndItsGradient) {
  KernelCall forward(OpKind::kGlobalAvgPool);
  forward.input(f32({1, 2, 2, 2}, {1, 2, 3, 6, 0, 0, 0, 4})).output(DType::kF32, {1, 2}).run();
  EXPECT_THAT(values(forward.result()), ElementsAre(3, 1));
  KernelCall backward(OpKind::kGlobalAvgPoolBackward);
  backward.input(f32({1, 2}, {8, 4}))
      .shape_only(DType::kF32, {1, 2, 2, 2})
      .output(DType::kF32, {1, 2, 2, 2})
      .run();
  EXPECT_THAT(values(backward.result()), ElementsAre(2, 2, 2, 2, 1, 1, 1, 1));
}

TEST(RefPooling, MaxTakesTheFirstOfEqualsAndDropsAPartialWindow) {
  const graph::PoolAttributes pool{.kernel = {2, 2, 1}, .stride = {2, 2, 1}};
  KernelCall forward(OpKind::kMaxPool, pool);
  forward.input(f32({1, 1, 3, 5}, {1, 7, 2, 2, 9, 7, 0, 2, 2, 9, 9, 9, 9, 9, 9}))
      .output(DType::kF32, {1, 1, 1, 2})
      .output(DType::kU8, {1, 1, 1, 2})
      .run();
  EXPECT_THAT(values(forward.result(0)), ElementsAre(7, 2));
  EXPECT_THAT(values(forward.result(1)), ElementsAre(1, 0));
  KernelCall backward(OpKind::kMaxPoolBackward, pool);
  backward.input(f32({1, 1, 1, 2}, {3, 4}))
      .input(tensor(DType::kU8, {1, 1, 1, 2}, {1, 0}))
      .shape_only(DType::kF32, {1, 1, 3, 5})
      .output(DType::kF32, {1, 1, 3, 5})
      .run();
  EXPECT_THAT(values(backward.result()), ElementsAre(0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(RefPooling, OverlappingWindowsAddTheirGradients) {
  // Windows of 3 with stride 1 over 0 5 1 4: both maxima are the 5.
  const graph::PoolAttributes pool{.kernel = {1, 3, 1}, .stride = {1, 1, 1}};
  KernelCall backward(OpKind::kMaxPoolBackward, pool);
  backward.input(f32({1, 1, 1, 2}, {3, 4}))
      .input(tensor(DType::kU8, {1, 1, 1, 2}, {1, 0}))
      .shape_only(DType::kF32, {1, 1, 1, 4})
      .output(DType::kF32, {1, 1, 1, 4})
      .run();
  EXPECT_THAT(values(backward.result()), ElementsAre(0, 7, 0, 0));
}

TEST(RefPooling, MaxPassesNaNOn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  KernelCall call(OpKind::kMaxPool,
                  graph::PoolAttributes{.kernel = {1, 3, 1}, .stride = {1, 3, 1}});
  call.input(f32({1, 1, 1, 3}, {1, nan, 5}))
      .output(DType::kF32, {1, 1, 1, 1})
      .output(DType::kU8, {1, 1, 1, 1})
      .run();
  EXPECT_TRUE(std::isnan(call.result(0).at(0)));
  EXPECT_EQ(call.result(1).at(0), 1);
}

TEST(RefUpsample, RepeatsAndSums) {
  const graph::UpsampleAttributes factor{.factor = {2, 3, 1}};
  KernelCall forward(OpKind::kUpsampleNearest, factor);
  forward.input(f32({1, 1, 1, 2}, {1, 2})).output(DType::kF32, {1, 1, 2, 6}).run();
  EXPECT_THAT(values(forward.result()), ElementsAre(1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2));
  KernelCall backward(OpKind::kUpsampleNearestBackward, factor);
  backward.input(f32({1, 1, 2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
      .shape_only(DType::kF32, {1, 1, 1, 2})
      .output(DType::kF32, {1, 1, 1, 2})
      .run();
  EXPECT_THAT(values(backward.result()), ElementsAre(30, 48));
}

TEST(RefLinear, ForwardAndBothGradients) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};  // (2, 3)
  const std::vector<double> w{1, 0, 2, 0, 3, 1};  // (2, 3)
  const std::vector<double> dy{1, 2, 3, 4};       // (2, 2)
  KernelCall forward(OpKind::kLinear);
  forward.input(f32({2, 3}, x))
      .input(f32({2, 3}, w))
      .input(f32({2}, {100, 200}))
      .output(DType::kF32, {2, 2})
      .run();
  EXPECT_THAT(values(forward.result()), ElementsAre(107, 209, 116, 221));
  KernelCall data(OpKind::kLinearBackwardData);
  data.input(f32({2, 2}, dy)).input(f32({2, 3}, w)).output(DType::kF32, {2, 3}).run();
  EXPECT_THAT(values(data.result()), ElementsAre(1, 6, 4, 3, 12, 10));
  KernelCall weights(OpKind::kLinearBackwardWeights);
  weights.input(f32({2, 3}, x))
      .input(f32({2, 2}, dy))
      .shape_only(DType::kF32, {2})
      .output(DType::kF32, {2, 3})
      .output(DType::kF32, {2})
      .run();
  EXPECT_THAT(values(weights.result(0)), ElementsAre(13, 17, 21, 18, 24, 30));
  EXPECT_THAT(values(weights.result(1)), ElementsAre(4, 6));
}

TEST(RefAddBias, AddsPerChannelAndSumsBack) {
  KernelCall call(OpKind::kAddBias);
  call.input(f32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
      .input(f32({2}, {10, 20}))
      .output(DType::kF32, {2, 2, 2})
      .run();
  EXPECT_THAT(values(call.result()), ElementsAre(11, 12, 23, 24, 15, 16, 27, 28));
  KernelCall back(OpKind::kAddBiasBackward);
  back.input(f32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})).output(DType::kF32, {2}).run();
  EXPECT_THAT(values(back.result()), ElementsAre(14, 22));
}

TEST(RefShapeOps, ConcatSliceItsGradientAndReshape) {
  KernelCall joined(OpKind::kConcat);
  joined.input(f32({2, 1, 2}, {1, 2, 3, 4}))
      .input(f32({2, 2, 2}, {5, 6, 7, 8, 9, 10, 11, 12}))
      .output(DType::kF32, {2, 3, 2})
      .run();
  EXPECT_THAT(values(joined.result()), ElementsAre(1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12));
  KernelCall part(OpKind::kSlice, graph::SliceAttributes{.begin = 1, .extent = 2});
  part.input(joined.result().clone()).output(DType::kF32, {2, 2, 2}).run();
  EXPECT_THAT(values(part.result()), ElementsAre(5, 6, 7, 8, 9, 10, 11, 12));
  KernelCall back(OpKind::kSliceBackward, graph::SliceAttributes{.begin = 1, .extent = 2});
  back.input(part.result().clone())
      .shape_only(DType::kF32, {2, 3, 2})
      .output(DType::kF32, {2, 3, 2})
      .run();
  EXPECT_THAT(values(back.result()), ElementsAre(0, 0, 5, 6, 7, 8, 0, 0, 9, 10, 11, 12));
  KernelCall same(OpKind::kReshape);
  same.input(f32({2, 2}, {1, 2, 3, 4})).output(DType::kF32, {4}).run();
  EXPECT_THAT(values(same.result()), ElementsAre(1, 2, 3, 4));
}

core::HostTensor i64(std::int64_t value) {
  core::HostTensor t(DType::kI64, Shape{});
  t.as<std::int64_t>()[0] = value;
  return t;
}

TEST(RefDropout, FollowsTheCounterOfEachSample) {
  constexpr std::int64_t kSeed = 42;
  constexpr std::int64_t kStep = 3;
  constexpr std::int64_t kFirstSample = 8;
  const graph::DropoutAttributes attributes{.rate = 0.25F, .key = 5};
  const Shape shape{2, 3, 7};  // 21 elements a sample: no multiple of a Philox block
  KernelCall call(OpKind::kDropout, attributes);
  call.input(f32(shape, std::vector<double>(42, 3.0)))
      .input(i64(kSeed))
      .input(i64(kStep))
      .input(i64(kFirstSample))
      .output(DType::kF32, shape)
      .run();
  for (std::int64_t n = 0; n < 2; ++n) {
    for (std::int64_t e = 0; e < 21; ++e) {
      const auto words = core::sample_random_block(kSeed, kStep, 5, kFirstSample + n, e / 4);
      const bool kept = core::uniform_from_bits(words.at(static_cast<std::size_t>(e % 4))) >= 0.25F;
      EXPECT_EQ(call.result().at(n * 21 + e), kept ? 4.0 : 0.0) << n << ' ' << e;
    }
  }
}

TEST(RefDropout, DropsTheAskedShareAndDrawsTheSameMaskBackwards) {
  const graph::DropoutAttributes attributes{.rate = 0.3F, .key = 1};
  const Shape shape{4, 5000};
  std::vector<std::vector<double>> results;
  for (const OpKind op : {OpKind::kDropout, OpKind::kDropoutBackward}) {
    KernelCall call(op, attributes);
    call.input(f32(shape, std::vector<double>(20000, 1.0)))
        .input(i64(1))
        .input(i64(2))
        .input(i64(0))
        .output(DType::kF32, shape)
        .run();
    results.push_back(values(call.result()));
  }
  EXPECT_EQ(results[0], results[1]);
  const auto dropped = std::count(results[0].begin(), results[0].end(), 0.0);
  EXPECT_NEAR(static_cast<double>(dropped), 6000, 300);  // 4.6 standard deviations
}

TEST(RefLosses, DiceAndItsGradient) {
  const std::vector<double> p{0.5, 0.25, 0.75, 0.5};
  const std::vector<double> y{1, 0, 1, 0};
  KernelCall sums(OpKind::kDiceSums);
  sums.input(f32({1, 1, 2, 2}, p))
      .input(tensor(DType::kU8, {1, 2, 2}, y))
      .output(DType::kF32, {3})
      .run();
  EXPECT_THAT(values(sums.result()), ElementsAre(1.25, 2, 2));
  KernelCall loss(OpKind::kDiceLoss, graph::DiceAttributes{.smooth = 1.0F});
  loss.input(f32({3}, {1.25, 2, 2})).output(DType::kF32, Shape{}).run();
  EXPECT_THAT(values(loss.result()), near({1 - 3.5 / 5}));
  KernelCall gradient(OpKind::kDiceBackward, graph::DiceAttributes{.smooth = 1.0F});
  gradient.input(f32(Shape{}, {2}))
      .input(tensor(DType::kU8, {1, 2, 2}, y))
      .input(f32({3}, {1.25, 2, 2}))
      .shape_only(DType::kF32, {1, 1, 2, 2})
      .output(DType::kF32, {1, 1, 2, 2})
      .run();
  // 2 (A - 2 y B) / B^2 with A = 3.5, B = 5
  EXPECT_THAT(values(gradient.result()), near({-0.52, 0.28, -0.52, 0.28}));
}

TEST(RefLosses, LogSoftmaxIsStableForLargeInputs) {
  KernelCall call(OpKind::kLogSoftmax);
  call.input(f32({2, 2}, {1000, 1000, 0, std::log(3.0)})).output(DType::kF32, {2, 2}).run();
  EXPECT_THAT(values(call.result()),
              near({-std::log(2.0), -std::log(2.0), -std::log(4.0), std::log(0.75)}));
}

TEST(RefLosses, LogSoftmaxBackward) {
  KernelCall call(OpKind::kLogSoftmaxBackward);
  call.input(f32({1, 2}, {1, 3}))
      .input(f32({1, 2}, {std::log(0.25), std::log(0.75)}))
      .output(DType::kF32, {1, 2})
      .run();
  EXPECT_THAT(values(call.result()), near({0, 0}));
}

TEST(RefLosses, NegativeLogLikelihoodIsTheMeanOverTheBatch) {
  KernelCall loss(OpKind::kNllLoss);
  loss.input(f32({2, 3}, {-1, -2, -3, -4, -5, -6}))
      .input(tensor(DType::kI32, {2}, {2, 0}))
      .output(DType::kF32, Shape{})
      .run();
  EXPECT_THAT(values(loss.result()), ElementsAre(3.5));
  KernelCall gradient(OpKind::kNllBackward);
  gradient.input(f32(Shape{}, {4}))
      .input(tensor(DType::kI32, {2}, {2, 0}))
      .shape_only(DType::kF32, {2, 3})
      .output(DType::kF32, {2, 3})
      .run();
  EXPECT_THAT(values(gradient.result()), ElementsAre(0, 0, -2, -2, 0, 0));
}

TEST(RefLosses, RefusesALabelOutsideOfTheClasses) {
  KernelCall loss(OpKind::kNllLoss);
  loss.input(f32({1, 3}, {-1, -2, -3}))
      .input(tensor(DType::kI32, {1}, {3}))
      .output(DType::kF32, Shape{});
  EXPECT_THROW(loss.run(), core::Error);
}

TEST(RefMetrics, CountsPixelsAndClasses) {
  KernelCall pixels(OpKind::kSegmentationCounts, graph::ThresholdAttributes{.threshold = 0.5F});
  pixels.input(f32({1, 1, 1, 6}, {0.9, 0.6, 0.5, 0.1, 0.7, 0.2}))
      .input(tensor(DType::kU8, {1, 1, 6}, {1, 0, 1, 0, 1, 0}))
      .output(DType::kF32, {4})
      .run();
  EXPECT_THAT(values(pixels.result()), ElementsAre(2, 1, 1, 2));  // tp fp fn tn
  KernelCall classes(OpKind::kClassificationCounts);
  classes.input(f32({3, 2}, {-1, -2, -3, -1, -1, -1}))
      .input(tensor(DType::kI32, {3}, {0, 1, 1}))
      .output(DType::kF32, {2})
      .run();
  EXPECT_THAT(values(classes.result()), ElementsAre(2, 3));  // the tie counts as class 0
}

TEST(RefNormalize, TurnsBytesIntoPlanes) {
  KernelCall call(OpKind::kNormalizeImage,
                  graph::NormalizeAttributes{.scale = 0.5F, .mean = {1, 2}, .stddev = {2, 4}});
  call.input(tensor(DType::kU8, {1, 1, 2, 2}, {10, 20, 30, 40}))
      .output(DType::kF32, {1, 2, 1, 2})
      .run();
  EXPECT_THAT(values(call.result()), ElementsAre(2, 7, 2, 4.5));
}

TEST(RefNormalize, CastsBetweenFloatTypes) {
  KernelCall call(OpKind::kCast, graph::CastAttributes{.dtype = DType::kBF16});
  call.input(f32({2}, {1.0 + 0x1p-8, -3})).output(DType::kBF16, {2}).run();
  EXPECT_THAT(values(call.result()), ElementsAre(1, -3));  // a tie goes to even
}

}  // namespace
}  // namespace dlbench::backend::ref
