// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The closed set of ops. Their meaning (operands, shapes, formula) is summarised here and defined
// in engine/graph/ops/<family>.cpp.
#pragma once

#include <cstdint>
#include <string_view>

namespace dlbench::graph {

/// Operand order is fixed and listed as inputs -> outputs [updates: state written in place].
/// T is f32 or a 16-bit float; "f32" is always f32.
enum class OpKind : std::uint8_t {
  // Inputs.
  kNormalizeImage,  ///< x u8 (N, H, W, C) -> y f32 (N, C, H, W)
  kCast,            ///< x -> y, other dtype

  // Convolution. Backward-weights has a second output only when the forward had a bias.
  kConv,                 ///< x T, weight T (K, C/g, kh, kw), [bias T (K)] -> y T
  kConvBackwardData,     ///< dy, weight, x (shape only: never read) -> dx
  kConvBackwardWeights,  ///< x, dy, weight and [bias] (shape only) -> dweight, [dbias]
  kConvTranspose,        ///< x T (N, C, ...), weight T (C, K/g, kh, kw) -> y T (N, K, ...)

  // Normalisation. gamma, beta, mean, rstd, running values are f32 (C).
  kBatchNorm,           ///< x, gamma, beta -> y, mean, rstd [updates running_mean, running_var]
  kBatchNormInference,  ///< x, gamma, beta, running_mean, running_var -> y
  kBatchNormBackward,   ///< dy, x, gamma, mean, rstd -> dx, dgamma, dbeta

  // Pointwise.
  kRelu,                       ///< x -> y
  kReluBackward,               ///< dy, y -> dx
  kSigmoid,                    ///< x -> y
  kSigmoidBackward,            ///< dy, y -> dx
  kAdd,                        ///< a, b (same shape) -> y
  kMultiply,                   ///< a, b (same shape) -> y
  kAddBias,                    ///< x (N, C, ...), bias (C) -> y
  kAddBiasBackward,            ///< dy -> dbias (C) = sum over batch and space
  kScaleChannels,              ///< x (N, C, ...), gate (N, C) -> y
  kScaleChannelsBackwardGate,  ///< dy, x -> dgate (N, C) = sum over space of dy * x

  // Pooling and resampling.
  kGlobalAvgPool,            ///< x (N, C, ...) -> y (N, C)
  kGlobalAvgPoolBackward,    ///< dy (N, C), x (shape only) -> dx
  kMaxPool,                  ///< x -> y, argmax u8 (position in the window, row-major)
  kMaxPoolBackward,          ///< dy, argmax, x (shape only) -> dx
  kUpsampleNearest,          ///< x -> y
  kUpsampleNearestBackward,  ///< dy, x (shape only) -> dx

  // Dense.
  kLinear,                 ///< x (N, I), weight (O, I), [bias (O)] -> y (N, O)
  kLinearBackwardData,     ///< dy, weight -> dx
  kLinearBackwardWeights,  ///< x, dy, [bias (shape only)] -> dweight, [dbias]

  // Shape.
  kConcat,         ///< a, b, ... -> y, along axis 1
  kSlice,          ///< x -> y, a range of axis 1
  kSliceBackward,  ///< dy, x (shape only) -> dx, zero outside the range
  kReshape,        ///< x -> y, row-major order of the logical shape

  // Dropout. seed, step, first_sample: i64 scalars of the model state.
  kDropout,          ///< x, seed, step, first_sample -> y
  kDropoutBackward,  ///< dy, seed, step, first_sample -> dx; the same mask, drawn again

  // Losses. dloss: f32 scalar, the gradient of the minimised quantity with respect to the loss.
  kDiceSums,      ///< p (N, 1, H, W) T, y u8 (N, H, W) -> sums f32 (3): sum(yp), sum(p), sum(y)
  kDiceLoss,      ///< sums -> loss f32 scalar = 1 - Dice
  kDiceBackward,  ///< dloss, y, sums, p (shape and dtype only) -> dp
  kLogSoftmax,    ///< x (N, K) -> y
  kLogSoftmaxBackward,  ///< dy, y -> dx
  kNllLoss,             ///< logp (N, K), label i32 (N) -> loss f32 scalar, mean over the batch
  kNllBackward,         ///< dloss, label, logp (shape and dtype only) -> dlogp

  // Metrics, not differentiable.
  kSegmentationCounts,    ///< p (N, 1, H, W), y u8 (N, H, W) -> f32 (4): tp, fp, fn, tn
  kClassificationCounts,  ///< logp (N, K), label i32 (N) -> f32 (2): correct, samples

  // Communication: the gradients of one bucket, or the sums of a loss, reduced in place.
  kAllReduceStart,  ///< gradients... -> token [updates gradients]
  kAllReduceWait,   ///< token, gradients... -> (nothing) [updates gradients]

  // Optimizers. One advance per step, then one update per bucket. With found_inf, an f32 scalar,
  // they do nothing in a step where it is not 0.
  kOptimizerAdvance,  ///< [found_inf] -> (nothing) [updates step i64, coefficients f64 (8)]
  kSgd,   ///< learning_rate, coefficients, gradients..., [found_inf] [updates parameters, velocity]
  kAdam,  ///< as SGD [updates parameters, m, v]
  kNadam,     ///< as Adam
  kAdadelta,  ///< as SGD [updates parameters, square, delta]

  // Dynamic loss scaling. loss_scale, found_inf: f32 scalars; good_steps, skipped_steps: i64.
  kUnscaleGradients,  ///< loss_scale -> (nothing) [updates gradients..., found_inf]
  kUpdateLossScale,   ///< (nothing) [updates loss_scale, found_inf, good_steps, skipped_steps]
};

/// The number of ops; the table in op_def.cpp has exactly one row for each.
inline constexpr std::size_t kOpCount = static_cast<std::size_t>(OpKind::kUpdateLossScale) + 1;

/// "conv", "conv_backward_data", ...: the name in reports, traces and conformance repro lines.
[[nodiscard]] std::string_view name(OpKind kind);

}  // namespace dlbench::graph
