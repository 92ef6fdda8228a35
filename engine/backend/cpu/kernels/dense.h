// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Contractions too small to be worth a library call: the 1x1 convolution to one channel, and fully
// connected layers of a few thousand weights.
#pragma once

#include "engine/backend/cpu/kernels/element.h"

#include <cstdint>

namespace dlbench::backend::cpu {

/// y[n, s] = bias + sum_c x[n, c, s] w[c]. g: of x; w: (C); bias: one number or null; y: plain.
template <typename T>
void head_forward(const Geometry& g, Rows<const T> x, const float* w, const float* bias, T* y);
/// dx[n, c, s] = dy[n, s] w[c].
template <typename T>
void head_backward_data(const Geometry& g, const T* dy, const float* w, Rows<T> dx);
/// dw[c] = sum over n, s of dy x; dbias = sum of dy (null: not needed). `partial`:
/// head_scratch_bytes() of scratch.
template <typename T>
void head_backward_weights(
    const Geometry& g, Rows<const T> x, const T* dy, float* dw, float* dbias, double* partial);
[[nodiscard]] std::int64_t head_scratch_bytes(const Geometry& g);

/// Extents of y (N, O) = x (N, I) w (O, I)^T + bias (O).
struct DenseShape {
  std::int64_t batch = 0;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
};

/// Computes y with loops on the calling thread; bias may be null; relu: y = max(0, y).
template <typename T>
void dense_forward(
    const DenseShape& shape, const T* x, const float* w, const float* bias, bool relu, T* y);
template <typename T>
void dense_backward_data(const DenseShape& shape, const T* dy, const float* w, T* dx);
/// dw = dy^T x, dbias = sum over the batch of dy (null: not needed).
template <typename T>
void dense_backward_weights(
    const DenseShape& shape, const T* x, const T* dy, float* dw, float* dbias);

}  // namespace dlbench::backend::cpu
