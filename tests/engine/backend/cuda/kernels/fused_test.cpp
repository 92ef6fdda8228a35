// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels do beyond one op of the graph: fused chains, biases, loss scaling. Fused kernels
// must agree with their parts, which agree with ref, to the last bit in f32: both do the same
// operations in the same order.
#include "engine/backend/cuda/kernels/batch_norm.h"
#include "engine/backend/cuda/kernels/loss_scaling.h"
#include "engine/backend/cuda/kernels/optimizers.h"
#include "engine/backend/cuda/kernels/pointwise.h"
#include "engine/backend/cuda/kernels/pooling.h"
#include "engine/backend/cuda/kernels/shape_ops.h"
#include "engine/core/rng.h"
#include "engine/graph/attributes.h"
#include "tests/engine/backend/cuda/kernels/emulated_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;
using ::testing::ElementsAre;

/// 3 samples of 6 x 5 positions, 10 channels in 12 lanes; padding lanes are zero.
constexpr ChannelsLast kLayout{.batch = 3, .spatial = 30, .channels = 10, .stride = 12};

/// 16-byte aligned f32, as device memory is.
class Floats {
 public:
  explicit Floats(Index size, float value = 0.0F)
      : size_(size), packs_(static_cast<std::size_t>(size / 4 + 1)) {
    std::fill_n(data(), size, value);
  }
  [[nodiscard]] float* data() { return packs_[0].lane; }
  [[nodiscard]] const float* data() const { return packs_[0].lane; }
  [[nodiscard]] float& operator[](Index i) { return data()[i]; }
  [[nodiscard]] float operator[](Index i) const { return data()[i]; }
  [[nodiscard]] std::vector<float> copy() const { return {data(), data() + size_}; }

 private:
  Index size_;
  std::vector<Pack<float, 4>> packs_;
};

Floats random_activation(std::uint64_t stream) {
  Floats x(kLayout.elements());
  core::RandomStream random(7, stream);
  for (Index row = 0; row < kLayout.positions(); ++row) {
    for (Index c = 0; c < kLayout.channels; ++c) {
      x[row * kLayout.stride + c] = random.uniform(-1.0F, 1.0F);
    }
  }
  return x;
}

Floats random_channels(std::uint64_t stream) {
  Floats x(kLayout.channels);
  core::RandomStream random(8, stream);
  for (Index c = 0; c < kLayout.channels; ++c) {
    x[c] = random.uniform(-1.0F, 1.0F);
  }
  return x;
}

/// One batch normalisation with everything it needs.
struct Normalisation {
  ChannelsLast layout = kLayout;
  Floats x = random_activation(1);
  Floats gamma = random_channels(2);
  Floats beta = random_channels(3);
  Floats running_mean{kLayout.channels};
  Floats running_variance{kLayout.channels, 1.0F};
  Floats mean{kLayout.channels};
  Floats rstd{kLayout.channels};
  std::optional<Floats> dbias{};
  std::vector<float> scratch = poisoned_scratch(batch_norm_scratch_bytes(kLayout, DType::kF32));
  HostLauncher launcher;

  Floats forward(const Floats* addend, bool relu, bool relu_after) {
    Floats y(kLayout.elements(), NAN);
    forward_to(y, addend, relu, relu_after);
    return y;
  }
  void forward_to(Floats& y, const Floats* addend, bool relu, bool relu_after) {
    run_batch_norm(launcher,
                   {.x = x.data(),
                    .gamma = gamma.data(),
                    .beta = beta.data(),
                    .running_mean = running_mean.data(),
                    .running_variance = running_variance.data(),
                    .mean = mean.data(),
                    .rstd = rstd.data(),
                    .addend = addend == nullptr ? nullptr : addend->data(),
                    .y = y.data(),
                    .layout = layout,
                    .attributes = {},
                    .relu = relu,
                    .relu_after = relu_after,
                    .scratch = scratch.data()},
                   false);
  }
  /// dx, dgamma and dbeta, one after the other.
  std::vector<float> backward(const Floats& dy, const Floats* addend, bool relu) {
    Floats dx(kLayout.elements(), NAN);
    return backward_to(dx, dy, addend, relu);
  }
  std::vector<float> backward_to(Floats& dx, const Floats& dy, const Floats* addend, bool relu) {
    Floats dgamma(kLayout.channels, NAN);
    Floats dbeta(kLayout.channels, NAN);
    run_batch_norm_backward(launcher,
                            {.dy = dy.data(),
                             .x = x.data(),
                             .gamma = gamma.data(),
                             .beta = beta.data(),
                             .mean = mean.data(),
                             .rstd = rstd.data(),
                             .addend = addend == nullptr ? nullptr : addend->data(),
                             .dx = dx.data(),
                             .dgamma = dgamma.data(),
                             .dbeta = dbeta.data(),
                             .dbias = dbias.has_value() ? dbias->data() : nullptr,
                             .layout = layout,
                             .relu = relu,
                             .scratch = scratch.data()});
    std::vector<float> all = dx.copy();
    for (const auto& part : {dgamma.copy(), dbeta.copy()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
};

TEST(FusedBatchNorm, ForwardAgreesWithItsParts) {
  Normalisation norm;
  const Floats addend = random_activation(4);
  const std::vector<float> plain = norm.forward(nullptr, false, false).copy();
  for (const bool relu : {false, true}) {
    for (const bool relu_after : {false, true}) {
      std::vector<float> want = plain;
      for (std::size_t i = 0; i < want.size(); ++i) {
        want[i] = relu && want[i] <= 0 ? 0 : want[i];
        want[i] += addend[static_cast<Index>(i)];
        want[i] = relu_after && want[i] <= 0 ? 0 : want[i];
      }
      EXPECT_EQ(norm.forward(&addend, relu, relu_after).copy(), want) << relu << relu_after;
    }
  }
}

TEST(FusedBatchNorm, BackwardAgreesWithItsParts) {
  Normalisation norm;
  const Floats y = norm.forward(nullptr, true, false);
  const Floats dy = random_activation(5);
  const Floats addend = random_activation(6);
  Floats masked = dy;
  int cut = 0;
  for (Index i = 0; i < kLayout.elements(); ++i) {
    cut += y[i] <= 0 ? 1 : 0;
    masked[i] = y[i] <= 0 ? 0 : dy[i];
  }
  ASSERT_GT(cut, kLayout.elements() / 4) << "ReLU must have something to cut";
  std::vector<float> want = norm.backward(masked, nullptr, false);
  for (Index i = 0; i < kLayout.elements(); ++i) {
    want[static_cast<std::size_t>(i)] += addend[i];
  }
  EXPECT_EQ(norm.backward(dy, &addend, true), want);
}

TEST(FusedBatchNorm, BackwardAlsoWritesTheGradientOfABias) {
  Normalisation norm;
  (void)norm.forward(nullptr, false, false);
  const Floats dy = random_activation(5);
  const std::vector<float> want = norm.backward(dy, nullptr, false);
  norm.dbias = Floats(kLayout.channels, NAN);
  EXPECT_EQ(norm.backward(dy, nullptr, false), want);
  const std::vector<float> dbeta(want.end() - kLayout.channels, want.end());
  EXPECT_EQ(norm.dbias->copy(), dbeta);
}

// There is no unbiased variance of one element: it counts as 0.
TEST(FusedBatchNorm, OfOneElementPerChannelKeepsTheRunningVarianceFinite) {
  Normalisation norm;
  norm.layout = {.batch = 1, .spatial = 1, .channels = 10, .stride = 12};
  norm.scratch = poisoned_scratch(batch_norm_scratch_bytes(norm.layout, DType::kF32));
  const Floats y = norm.forward(nullptr, false, false);
  const float momentum = graph::BatchNormAttributes{}.momentum;
  for (Index c = 0; c < kLayout.channels; ++c) {
    EXPECT_FLOAT_EQ(norm.running_variance[c], momentum) << "of 1 before, channel " << c;
    EXPECT_FLOAT_EQ(norm.running_mean[c], (1.0F - momentum) * norm.x[c]) << "channel " << c;
    EXPECT_EQ(y[c], norm.beta[c]) << "channel " << c;
  }
}

TEST(InPlace, ResultsMayTakeTheMemoryOfAnOperand) {
  // y in the place of x and of the addend; dx in the place of dy, x and the addend.
  for (int place = 0; place < 2; ++place) {
    Normalisation norm;
    Floats addend = random_activation(4);
    const std::vector<float> want = norm.forward(&addend, true, false).copy();
    Floats& y = place == 0 ? norm.x : addend;
    norm.forward_to(y, &addend, true, false);
    EXPECT_EQ(y.copy(), want) << "operand " << place;
  }
  for (int place = 0; place < 3; ++place) {
    Normalisation norm;
    (void)norm.forward(nullptr, true, false);
    Floats dy = random_activation(5);
    Floats addend = random_activation(6);
    const std::vector<float> want = norm.backward(dy, &addend, true);
    Floats& dx = place == 0 ? dy : place == 1 ? norm.x : addend;
    EXPECT_EQ(norm.backward_to(dx, dy, &addend, true), want) << "operand " << place;
  }
  for (int place = 0; place < 2; ++place) {
    Floats operands[] = {random_activation(1), random_activation(2)};
    std::vector<float> want;
    for (Index i = 0; i < kLayout.elements(); ++i) {
      want.push_back(operands[0][i] + operands[1][i]);
    }
    HostLauncher launcher;
    run_sum(
        launcher,
        {.summands = {{operands[0].data(), kLayout.stride}, {operands[1].data(), kLayout.stride}},
         .y = operands[place].data(),
         .layout = kLayout});
    EXPECT_EQ(operands[place].copy(), want) << "operand " << place;
  }
}

TEST(AddBias, AddsToChannelsAndLeavesPaddingZero) {
  const Floats x = random_activation(1);
  const Floats bias = random_channels(2);
  for (const bool relu : {false, true}) {
    Floats y(kLayout.elements(), NAN);
    HostLauncher launcher;
    run_add_bias(
        launcher,
        {.x = x.data(), .bias = bias.data(), .y = y.data(), .layout = kLayout, .relu = relu});
    for (Index i = 0; i < kLayout.elements(); ++i) {
      const Index c = i % kLayout.stride;
      const float sum = c < kLayout.channels ? x[i] + bias[c] : 0.0F;
      ASSERT_EQ(y[i], relu && sum <= 0 ? 0.0F : sum) << "element " << i;
    }
  }
}

TEST(ChannelSums, OverTheBatchAreTheGradientOfABias) {
  const Floats dy = random_activation(1);
  Floats sums(kLayout.channels, NAN);
  auto scratch = poisoned_scratch(channel_sums_scratch_bytes(kLayout, DType::kF32, false));
  HostLauncher launcher;
  run_channel_sums(launcher,
                   {.a = dy.data(),
                    .result = sums.data(),
                    .layout = kLayout,
                    .per_sample = false,
                    .scratch = scratch.data()});
  for (Index c = 0; c < kLayout.channels; ++c) {
    double want = 0;
    for (Index row = 0; row < kLayout.positions(); ++row) {
      want += static_cast<double>(dy[row * kLayout.stride + c]);
    }
    // 90 f32 additions of numbers below 1, each within half a unit of a partial sum below 16.
    EXPECT_NEAR(static_cast<double>(sums[c]), want, 90 * 16 * 0x1p-24) << "channel " << c;
  }
}

TEST(ScaleChannels, AddsTheShareOfAnAverage) {
  const Floats x = random_activation(1);
  const ChannelsLast gates{.batch = 3, .spatial = 1, .channels = 10, .stride = 12};
  Floats gate(gates.elements());
  Floats shift(gates.elements());
  for (Index n = 0; n < 3; ++n) {
    for (Index c = 0; c < 10; ++c) {
      gate[n * 12 + c] = static_cast<float>(n + 1);
      shift[n * 12 + c] = static_cast<float>(30 * c);
    }
  }
  Floats y(kLayout.elements(), NAN);
  HostLauncher launcher;
  run_scale_channels(launcher,
                     {.x = x.data(),
                      .gate = gate.data(),
                      .shift = shift.data(),
                      .gate_stride = 12,
                      .y = y.data(),
                      .layout = kLayout});
  for (Index i = 0; i < kLayout.elements(); ++i) {
    const Index c = i % 12;
    const Index n = i / 12 / 30;
    const float want = x[i] * static_cast<float>(n + 1) + static_cast<float>(c < 10 ? c : 0);
    ASSERT_NEAR(y[i], want, 1e-6F) << "element " << i;
  }
}

TEST(Reshape, MovesRowMajorMemoryToChannelsLast) {
  const ChannelsLast row_major{.batch = 3, .spatial = 1, .channels = 300, .stride = 300};
  Floats x(900);
  for (Index i = 0; i < 900; ++i) {
    x[i] = static_cast<float>(i);
  }
  Floats y(kLayout.elements(), NAN);
  HostLauncher launcher;
  run_reshape(launcher, {.x = x.data(), .x_layout = row_major, .y = y.data(), .y_layout = kLayout});
  for (Index i = 0; i < kLayout.elements(); ++i) {
    const Index c = i % 12;
    const Index s = i / 12 % 30;
    const Index n = i / 360;
    ASSERT_EQ(y[i], c < 10 ? static_cast<float>((n * 10 + c) * 30 + s) : 0.0F) << "element " << i;
  }
}

TEST(MaxPool, NaNWinsAndTiesGoToTheFirst) {
  Floats x(4);
  Floats y(1);
  std::uint8_t argmax = 99;
  const MaxPoolArgs args{
      .x = x.data(),
      .y = y.data(),
      .argmax = &argmax,
      .planes = {.batch = 1, .channels = 1, .x_stride = 1, .y_stride = 1, .x = {1, 2, 2}},
      .kernel = {1, 2, 2}};
  HostLauncher launcher;
  x[1] = x[2] = 5.0F;
  run_max_pool(launcher, args, false);
  EXPECT_EQ(y[0], 5.0F);
  EXPECT_EQ(argmax, 1);
  x[2] = NAN;
  run_max_pool(launcher, args, false);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(argmax, 2);
}

/// More ranges than one launch takes, of sizes with and without tails.
struct Arena {
  static constexpr int kRanges = kMaxRanges + 7;
  Floats gradient{kRanges * 16};
  Floats parameter{kRanges * 16, 1.0F};
  Floats velocity{kRanges * 16};
  float learning_rate = 0.5F;
  double coefficients[8] = {};
  OptimizerArgs args{.op = graph::OpKind::kSgd,
                     .attributes = {},
                     .learning_rate = &learning_rate,
                     .coefficients = coefficients,
                     .ranges = {}};

  explicit Arena(float grad) {
    for (Index range = 0; range < kRanges; ++range) {
      const Index elements = 1 + range % 16;
      std::fill_n(gradient.data() + range * 16, elements, grad);
      args.ranges.push_back({.gradient = gradient.data() + range * 16,
                             .parameter = parameter.data() + range * 16,
                             .first_state = velocity.data() + range * 16,
                             .second_state = nullptr,
                             .elements = elements});
    }
  }
  void expect_parameters(float inside) const {
    for (Index i = 0; i < kRanges * 16; ++i) {
      ASSERT_EQ(parameter[i], i % 16 <= i / 16 % 16 ? inside : 1.0F) << "element " << i;
    }
  }
};

TEST(Optimizer, UpdatesMoreRangesThanOneLaunchTakes) {
  Arena arena(0.25F);
  HostLauncher launcher;
  run_optimizer(launcher, arena.args);
  EXPECT_EQ(launcher.launches(), 2);
  arena.expect_parameters(1.0F - 0.5F * 0.25F);
}

TEST(Optimizer, SkipsABadStep) {
  Arena arena(0.25F);
  float found_inf = 1.0F;
  arena.args.found_inf = &found_inf;
  HostLauncher launcher;
  run_optimizer(launcher, arena.args);
  arena.expect_parameters(1.0F);
  found_inf = 0.0F;
  run_optimizer(launcher, arena.args);
  arena.expect_parameters(1.0F - 0.5F * 0.25F);
}

TEST(Optimizer, StepCountsGoodStepsOnly) {
  std::int64_t step = 4;
  double coefficients[8] = {1, 1, 1, 1, 1};
  float found_inf = 1.0F;
  HostLauncher launcher;
  run_optimizer_advance(launcher, {}, &step, coefficients, &found_inf);
  EXPECT_EQ(step, 4);
  EXPECT_EQ(coefficients[kBeta2Power], 1.0);
  found_inf = 0.0F;
  run_optimizer_advance(launcher, {}, &step, coefficients, &found_inf);
  EXPECT_EQ(step, 5);
  EXPECT_DOUBLE_EQ(coefficients[kBeta2Power], std::pow(0.999, 5));
}

TEST(Optimizer, PlantedLostThreadIsFound) {
  Arena arena(0.25F);
  HostLauncher launcher(3, Fault::kLostThread);
  run_optimizer(launcher, arena.args);
  EXPECT_EQ(arena.parameter[0], 1.0F) << "the fault was not planted";
}

TEST(Unscale, FindsOneBadElementAnywhereAndDividesTheOthers) {
  constexpr Index kElements = 37;
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    for (Index at = -1; at < kElements; ++at) {
      for (const Index first : {0, 1}) {  // with packs of 16 bytes, and element by element
        Floats memory(kElements + 3, 60000.0F);
        float* gradients = memory.data() + first;
        if (at >= 0) {
          gradients[at] = bad;
        }
        const float scale = 1024.0F;
        float found = 0.0F;
        HostLauncher launcher;
        run_unscale(launcher, {&scale, &found, {{gradients, kElements}}});
        ASSERT_EQ(found, at < 0 ? 0.0F : 1.0F) << "element " << at;
        for (Index i = 0; i < kElements; ++i) {
          ASSERT_TRUE(i == at || gradients[i] == 60000.0F / 1024.0F) << "element " << i;
        }
        ASSERT_EQ(gradients[kElements], 60000.0F) << "behind the range";
      }
    }
  }
}

// The f32 that would be updated with is what counts, not the one that arrived.
TEST(Unscale, FindsWhatBecomesInfiniteByTheDivision) {
  Floats gradients(4, std::numeric_limits<float>::max());
  const float scale = 0.5F;
  float found = 0.0F;
  HostLauncher launcher;
  run_unscale(launcher, {&scale, &found, {{gradients.data(), 4}}});
  EXPECT_EQ(found, 1.0F);
}

TEST(LossScale, FallsAfterABadStepAndRisesAfterManyGoodOnes) {
  const graph::LossScaleAttributes rule{.growth = 2.0, .backoff = 0.5, .interval = 3};
  float scale = 1024.0F;
  float found_inf = 1.0F;
  std::int64_t good_steps = 2;
  std::int64_t skipped_steps = 0;
  const LossScaleState state{&scale, &found_inf, &good_steps, &skipped_steps};
  HostLauncher launcher;
  std::vector<float> scales;
  for (int step = 0; step < 7; ++step) {
    run_loss_scale_update(launcher, rule, state);
    EXPECT_EQ(found_inf, 0.0F);
    scales.push_back(scale);
  }
  EXPECT_THAT(scales, ElementsAre(512, 512, 512, 1024, 1024, 1024, 2048));
  EXPECT_EQ(skipped_steps, 1);
}

TEST(LossScale, StaysFiniteAndSoDoesItsReciprocal) {
  float scale = 0x1p+126F;
  float found_inf = 0.0F;
  std::int64_t good_steps = 0;
  std::int64_t skipped_steps = 0;
  const LossScaleState state{&scale, &found_inf, &good_steps, &skipped_steps};
  HostLauncher launcher;
  run_loss_scale_update(launcher, {.interval = 1}, state);
  EXPECT_EQ(scale, 0x1p+126F);
  for (int step = 0; step < 300; ++step) {
    found_inf = 1.0F;
    run_loss_scale_update(launcher, {}, state);
  }
  EXPECT_GT(scale, 0.0F);
  EXPECT_TRUE(std::isfinite(1.0F / scale));
  EXPECT_EQ(skipped_steps, 300);
}

}  // namespace
}  // namespace dlbench::backend::cuda
