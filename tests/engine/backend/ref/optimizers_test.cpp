// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Two steps of each optimizer against the published formulas, written out again from the papers
// and from Keras' documentation.
#include "tests/engine/backend/ref/kernel_call.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dlbench::backend::ref {
namespace {

using core::DType;
using core::Shape;
using graph::OpKind;
using graph::OptimizerAttributes;

constexpr double kLearningRate = 0.125;  // exact in f32

/// Parameter 2, gradients 0.5 then -1: the parameter after each of two steps.
std::vector<double> two_steps(OpKind op, const OptimizerAttributes& attributes, int states) {
  core::HostTensor step(DType::kI64, Shape{});
  core::HostTensor coefficients = tensor(DType::kF64, {8}, std::vector<double>(8, 1.0));
  std::vector<core::HostTensor> state;
  state.push_back(tensor(DType::kF64, {1}, {2}));
  for (int i = 0; i < states; ++i) {
    state.push_back(tensor(DType::kF64, {1}, {0}));
  }
  std::vector<double> trace;
  for (const double gradient : {0.5, -1.0}) {
    KernelCall advance(OpKind::kOptimizerAdvance, attributes);
    advance.update(std::move(step)).update(std::move(coefficients)).run();
    step = advance.updated(0).clone();
    coefficients = advance.updated(1).clone();
    KernelCall call(op, attributes);
    call.input(tensor(DType::kF32, Shape{}, {kLearningRate}))
        .input(coefficients.clone())
        .input(tensor(DType::kF64, {1}, {gradient}));
    for (core::HostTensor& tensor : state) {
      call.update(std::move(tensor));
    }
    call.run();
    for (std::size_t i = 0; i < state.size(); ++i) {
      state[i] = call.updated(i).clone();
    }
    trace.push_back(state[0].at(0));
  }
  EXPECT_EQ(step.at(0), 2);
  return trace;
}

TEST(RefOptimizers, SgdWithMomentumAndWeightDecay) {
  const auto trace = two_steps(OpKind::kSgd, {.momentum = 0.5, .weight_decay = 0.25}, 1);
  const double v1 = 0.5 + 0.25 * 2;
  const double p1 = 2 - kLearningRate * v1;
  const double v2 = 0.5 * v1 - 1 + 0.25 * p1;
  EXPECT_NEAR(trace[0], p1, 1e-15);
  EXPECT_NEAR(trace[1], p1 - kLearningRate * v2, 1e-15);
}

TEST(RefOptimizers, AdamAsInAlgorithm1) {
  const auto trace = two_steps(OpKind::kAdam, {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8}, 2);
  const double m1 = 0.1 * 0.5;
  const double v1 = 0.01 * 0.25;
  const double p1 = 2 - kLearningRate * (m1 / 0.1) / (std::sqrt(v1 / 0.01) + 1e-8);
  const double m2 = 0.9 * m1 + 0.1 * -1;
  const double v2 = 0.99 * v1 + 0.01 * 1;
  const double p2 =
      p1 - kLearningRate * (m2 / (1 - 0.81)) / (std::sqrt(v2 / (1 - 0.99 * 0.99)) + 1e-8);
  EXPECT_NEAR(trace[0], p1, 1e-14);
  EXPECT_NEAR(trace[1], p2, 1e-14);
}

TEST(RefOptimizers, NadamWithTheMomentumScheduleOfKeras214) {
  const auto trace = two_steps(OpKind::kNadam, {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-7}, 2);
  const auto u = [](int t) { return 0.9 * (1 - 0.5 * std::pow(0.96, t)); };
  double p = 2;
  double m = 0;
  double v = 0;
  double product = 1;
  int t = 0;
  for (const double g : {0.5, -1.0}) {
    ++t;
    product *= u(t);
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double m_hat = u(t + 1) * m / (1 - product * u(t + 1)) + (1 - u(t)) * g / (1 - product);
    const double v_hat = v / (1 - std::pow(0.999, t));
    p -= kLearningRate * m_hat / (std::sqrt(v_hat) + 1e-7);
    EXPECT_NEAR(trace[static_cast<std::size_t>(t - 1)], p, 1e-13);
  }
}

TEST(RefOptimizers, AdadeltaAsInAlgorithm1) {
  const auto trace = two_steps(OpKind::kAdadelta, {.epsilon = 1e-6, .rho = 0.9}, 2);
  double p = 2;
  double square = 0;
  double delta = 0;
  std::size_t t = 0;
  for (const double g : {0.5, -1.0}) {
    square = 0.9 * square + 0.1 * g * g;
    const double step = std::sqrt(delta + 1e-6) / std::sqrt(square + 1e-6) * g;
    delta = 0.9 * delta + 0.1 * step * step;
    p -= kLearningRate * step;
    EXPECT_NEAR(trace[t], p, 1e-15);
    ++t;
  }
}

TEST(RefOptimizers, ABucketUpdatesEveryParameterWithItsOwnState) {
  KernelCall call(OpKind::kSgd, OptimizerAttributes{.momentum = 1.0});
  call.input(f32(Shape{}, {1}))
      .input(tensor(DType::kF64, {8}, std::vector<double>(8, 1.0)))
      .input(f32({1}, {1}))
      .input(f32({2}, {2, 3}))
      .update(f32({1}, {10}))
      .update(f32({2}, {20, 30}))
      .update(f32({1}, {100}))
      .update(f32({2}, {200, 300}))
      .run();
  EXPECT_EQ(values(call.updated(0)), (std::vector<double>{-91}));
  EXPECT_EQ(values(call.updated(1)), (std::vector<double>{-182, -273}));
  EXPECT_EQ(values(call.updated(2)), (std::vector<double>{101}));
  EXPECT_EQ(values(call.updated(3)), (std::vector<double>{202, 303}));
}

}  // namespace
}  // namespace dlbench::backend::ref
