// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Small contractions for which a library call costs more than the work: the 1x1 convolution to one
// channel, and fully connected layers of a few thousand weights.
#pragma once

#include "engine/backend/cpu/kernels/element.h"

#include <cstdint>

namespace dlbench::backend::cpu {

/// y[n, s] = bias + sum_c x[n, c, s] w[c]. g: of x; w: (C); bias: one number or null; y plain.
template <typename T>
void head_forward(const Geometry& g, Rows<const T> x, const float* w, const float* bias, T* y);
/// dx[n, c, s] = dy[n, s] w[c].
template <typename T>
void head_backward_data(const Geometry& g, const T* dy, const float* w, Rows<T> dx);
/// dw[c] = sum over n, s of dy x; dbias = sum of dy (null: not wanted). `partial`: see
/// head_scratch_bytes().
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

/// Plain loops on the calling thread; bias null: none; relu: y = max(0, y).
template <typename T>
void dense_forward(
    const DenseShape& shape, const T* x, const float* w, const float* bias, bool relu, T* y);
template <typename T>
void dense_backward_data(const DenseShape& shape, const T* dy, const float* w, T* dx);
/// dbias null: not wanted.
template <typename T>
void dense_backward_weights(
    const DenseShape& shape, const T* x, const T* dy, float* dw, float* dbias);

}  // namespace dlbench::backend::cpu
