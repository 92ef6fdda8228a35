// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The update rule of each optimizer for one element, shared by all backends (host and device): a
// small struct that is made from the hyper-parameters once per step and applied to every element of
// the flat arenas.
#pragma once

#include "engine/core/host_device.h"
#include "engine/graph/attributes.h"
#include "engine/graph/op_kind.h"

#include <cmath>
#include <cstdint>

namespace dlbench::backend {

/// Indices into the f64 (8) state value "coefficients", which kOptimizerAdvance computes once per
/// step t = 1, 2, ... All entries start at 1. Momentum u_t = beta1 (1 - 0.5 * 0.96^t), the Nadam
/// schedule of Keras 2.14 (Dozat 2016, section 2; decay per step 0.96, before Keras 2.11
/// 0.96^0.004).
enum CoefficientIndex : std::uint8_t {
  kMomentumProduct = 0,  ///< product of u_1 ... u_t
  kMomentumNow = 1,      ///< u_t
  kMomentumNext = 2,     ///< u_(t+1)
  kBeta1Power = 3,       ///< beta1^t
  kBeta2Power = 4,       ///< beta2^t
};

/// Advances the coefficients from step t - 1 to step t.
DLBENCH_HOST_DEVICE void advance_coefficients(const graph::OptimizerAttributes& attributes,
                                              std::int64_t t,
                                              double* coefficients) {
  const double step = static_cast<double>(t);
  coefficients[kMomentumNow] = attributes.beta1 * (1.0 - 0.5 * std::pow(0.96, step));
  coefficients[kMomentumNext] = attributes.beta1 * (1.0 - 0.5 * std::pow(0.96, step + 1.0));
  coefficients[kMomentumProduct] *= coefficients[kMomentumNow];
  coefficients[kBeta1Power] = std::pow(attributes.beta1, step);
  coefficients[kBeta2Power] = std::pow(attributes.beta2, step);
}

/// SGD with momentum as in PyTorch: v = momentum v + g, p -= lr v; without momentum p -= lr g.
/// PyTorch's first step sets v = g, which equals v = momentum 0 + g here.
template <typename T>
struct SgdUpdate {
  T learning_rate;
  T momentum;
  T weight_decay;

  DLBENCH_HOST_DEVICE SgdUpdate(const graph::OptimizerAttributes& a,
                                double lr,
                                const double* /*coefficients*/)
      : learning_rate(static_cast<T>(lr)),
        momentum(static_cast<T>(a.momentum)),
        weight_decay(static_cast<T>(a.weight_decay)) {}

  DLBENCH_HOST_DEVICE void operator()(T grad, T& parameter, T& velocity) const {
    velocity = momentum * velocity + (grad + weight_decay * parameter);
    parameter -= learning_rate * velocity;
  }
};

/// Adam: Kingma, Ba 2015, arXiv:1412.6980, algorithm 1; epsilon is added outside the root.
template <typename T>
struct AdamUpdate {
  // From the exact 1 - beta: in f32 1 - 0.999 would be off by 1.3e-5, which the bias corrections,
  // computed from the exact betas, would not cancel.
  T one_minus_beta1;
  T one_minus_beta2;
  T epsilon;
  T weight_decay;
  T step_size;   ///< lr / (1 - beta1^t)
  T root_scale;  ///< 1 / sqrt(1 - beta2^t)

  DLBENCH_HOST_DEVICE AdamUpdate(const graph::OptimizerAttributes& a,
                                 double lr,
                                 const double* coefficients)
      : one_minus_beta1(static_cast<T>(1.0 - a.beta1)),
        one_minus_beta2(static_cast<T>(1.0 - a.beta2)),
        epsilon(static_cast<T>(a.epsilon)),
        weight_decay(static_cast<T>(a.weight_decay)),
        step_size(static_cast<T>(lr / (1.0 - coefficients[kBeta1Power]))),
        root_scale(static_cast<T>(1.0 / std::sqrt(1.0 - coefficients[kBeta2Power]))) {}

  DLBENCH_HOST_DEVICE void operator()(T grad, T& parameter, T& m, T& v) const {
    const T g = grad + weight_decay * parameter;
    m += (g - m) * one_minus_beta1;
    v += (g * g - v) * one_minus_beta2;
    parameter -= step_size * m / (std::sqrt(v) * root_scale + epsilon);
  }
};

/// Nadam as in Keras 2.14 (Dozat 2016): with U_t = u_1 ... u_t,
/// m^ = u_(t+1) m / (1 - U_t u_(t+1)) + (1 - u_t) g / (1 - U_t), v^ = v / (1 - beta2^t),
/// p -= lr m^ / (sqrt(v^) + epsilon).
template <typename T>
struct NadamUpdate {
  // From the exact 1 - beta: in f32 1 - 0.999 would be off by 1.3e-5, which the bias corrections,
  // computed from the exact betas, would not cancel.
  T one_minus_beta1;
  T one_minus_beta2;
  T epsilon;
  T momentum_factor;  ///< lr u_(t+1) / (1 - U_t u_(t+1))
  T gradient_factor;  ///< lr (1 - u_t) / (1 - U_t)
  T root_scale;       ///< 1 / sqrt(1 - beta2^t)

  DLBENCH_HOST_DEVICE NadamUpdate(const graph::OptimizerAttributes& a,
                                  double lr,
                                  const double* coefficients)
      : one_minus_beta1(static_cast<T>(1.0 - a.beta1)),
        one_minus_beta2(static_cast<T>(1.0 - a.beta2)),
        epsilon(static_cast<T>(a.epsilon)),
        momentum_factor(
            static_cast<T>(lr * coefficients[kMomentumNext] /
                           (1.0 - coefficients[kMomentumProduct] * coefficients[kMomentumNext]))),
        gradient_factor(static_cast<T>(lr * (1.0 - coefficients[kMomentumNow]) /
                                       (1.0 - coefficients[kMomentumProduct]))),
        root_scale(static_cast<T>(1.0 / std::sqrt(1.0 - coefficients[kBeta2Power]))) {}

  DLBENCH_HOST_DEVICE void operator()(T grad, T& parameter, T& m, T& v) const {
    m += (grad - m) * one_minus_beta1;
    v += (grad * grad - v) * one_minus_beta2;
    parameter -=
        (momentum_factor * m + gradient_factor * grad) / (std::sqrt(v) * root_scale + epsilon);
  }
};

/// Adadelta: Zeiler 2012, arXiv:1212.5701, algorithm 1; epsilon is inside both roots as in PyTorch.
template <typename T>
struct AdadeltaUpdate {
  T learning_rate;
  T rho;
  T one_minus_rho;
  T epsilon;

  DLBENCH_HOST_DEVICE AdadeltaUpdate(const graph::OptimizerAttributes& a,
                                     double lr,
                                     const double* /*coefficients*/)
      : learning_rate(static_cast<T>(lr)),
        rho(static_cast<T>(a.rho)),
        one_minus_rho(static_cast<T>(1.0 - a.rho)),
        epsilon(static_cast<T>(a.epsilon)) {}

  DLBENCH_HOST_DEVICE void operator()(T grad, T& parameter, T& square, T& delta) const {
    square = rho * square + one_minus_rho * grad * grad;
    const T step = std::sqrt(delta + epsilon) / std::sqrt(square + epsilon) * grad;
    delta = rho * delta + one_minus_rho * step * step;
    parameter -= learning_rate * step;
  }
};

/// Calls function.operator()<Rule>() with the rule of an update node (kSgd, kAdam, kNadam or
/// kAdadelta).
template <typename T, typename Function>
void with_update_rule(graph::OpKind op, Function function) {
  switch (op) {
    case graph::OpKind::kAdam:
      return function.template operator()<AdamUpdate<T>>();
    case graph::OpKind::kNadam:
      return function.template operator()<NadamUpdate<T>>();
    case graph::OpKind::kAdadelta:
      return function.template operator()<AdadeltaUpdate<T>>();
    default:
      return function.template operator()<SgdUpdate<T>>();
  }
}

/// A contiguous range of the arenas.
struct UpdateRange {
  const float* gradient = nullptr;
  float* parameter = nullptr;
  // In the order of graph::state_names().
  float* first_state = nullptr;   ///< SGD: velocity; Adam and Nadam: m; Adadelta: square
  float* second_state = nullptr;  ///< Adam and Nadam: v; Adadelta: delta; null for SGD
  std::int64_t elements = 0;
};

}  // namespace dlbench::backend
