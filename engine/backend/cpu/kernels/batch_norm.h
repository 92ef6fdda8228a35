// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Batch normalisation over rows, with the following ReLU and addition computed in the same pass.
// T: float or Bf16; per-channel operands are f32 (C).
#pragma once

#include "engine/backend/cpu/kernels/element.h"

#include <cstdint>

namespace dlbench::backend::cpu {

/// Operands of the forward pass. y = act(x scale + shift) + addend, scale = gamma rstd,
/// shift = beta - mean scale. y may be x.
template <typename T>
struct BatchNormForward {
  Rows<const T> x;
  const float* gamma;
  const float* beta;
  float* running_mean;  ///< updated in training, read in inference
  float* running_variance;
  float* mean;  ///< result; not used in inference
  float* rstd;
  Rows<const T> addend;  ///< data null: nothing is added
  Rows<T> y;
  float momentum;
  float epsilon;
  bool relu;
};

/// Operands of the backward pass. With relu, dy is first masked by x scale + shift > 0, the sign of
/// the forward result, recomputed identically. dx += addend. dx may be dy.
template <typename T>
struct BatchNormBackward {
  Rows<const T> dy;
  Rows<const T> x;
  const float* gamma;
  const float* beta;  ///< read with relu only
  const float* mean;
  const float* rstd;
  Rows<const T> addend;  ///< data null: nothing is added
  Rows<T> dx;
  float* dgamma;
  float* dbeta;
  bool relu;
};

/// Training: computes the statistics of the batch (biased variance), running values and y.
template <typename T>
void batch_norm_train(const Geometry& g, const BatchNormForward<T>& operands, double* scratch);
/// Inference: uses running values instead of those of the batch.
template <typename T>
void batch_norm_inference(const Geometry& g, const BatchNormForward<T>& operands, double* scratch);
template <typename T>
void batch_norm_backward(const Geometry& g, const BatchNormBackward<T>& operands, double* scratch);

/// The scratch memory that each of the three needs.
[[nodiscard]] std::int64_t batch_norm_scratch_bytes(const Geometry& g);

}  // namespace dlbench::backend::cpu
