// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise kernels, the per-channel gate and bias, over rows (element.h). T: float or Bf16.
// Results may overwrite an operand of the same type.
#pragma once

#include "engine/backend/cpu/kernels/element.h"

#include <cstdint>
#include <span>

namespace dlbench::backend::cpu {

template <typename T>
void relu(const Geometry& g, Rows<const T> x, Rows<T> y);
/// dx = dy where y > 0, otherwise 0.
template <typename T>
void relu_backward(const Geometry& g, Rows<const T> dy, Rows<const T> y, Rows<T> dx);
template <typename T>
void sigmoid(const Geometry& g, Rows<const T> x, Rows<T> y);
template <typename T>
void sigmoid_backward(const Geometry& g, Rows<const T> dy, Rows<const T> y, Rows<T> dx);
/// y = x[0] + x[1] + ... of two to four operands (fusion.h: kMaxSummands; checked by the caller),
/// added in order, with each partial sum rounded to T as if it were stored.
template <typename T>
void add(const Geometry& g, std::span<const Rows<const T>> x, Rows<T> y);
template <typename T>
void multiply(const Geometry& g, Rows<const T> a, Rows<const T> b, Rows<T> y);
template <typename From, typename To>
void convert(const Geometry& g, Rows<const From> x, Rows<To> y);
template <typename T>
void copy(const Geometry& g, Rows<const T> x, Rows<T> y);

/// y[n, c, ...] = x[n, c, ...] gate[n, c] + shift[n, c] / (elements of a channel); gate and shift
/// are plain (N, C); shift may be null.
template <typename T>
void scale_channels(const Geometry& g, Rows<const T> x, const T* gate, const T* shift, Rows<T> y);
/// y[n, c, ...] = value[n, c] / (elements of a channel): the gradient of a global average.
template <typename T>
void spread_average(const Geometry& g, const T* value, Rows<T> y);
/// sum[n, c] = `factor` times the sum over space of a (b null) or a * b. `partial`: 16 doubles per
/// chunk, see reduction_scratch_bytes().
template <typename T>
void sum_channels(
    const Geometry& g, Rows<const T> a, Rows<const T> b, float factor, T* sum, double* partial);

/// y[n, c, ...] = x[n, c, ...] + bias[c]; bias: (C).
template <typename T>
void add_bias(const Geometry& g, Rows<const T> x, const float* bias, Rows<T> y);
/// sum[c] = the sum over batch and space of x: the gradient of a bias. `partial` as for
/// sum_channels(). Sum: float or Bf16.
template <typename T, typename Sum>
void sum_bias(const Geometry& g, Rows<const T> x, Sum* sum, double* partial);

/// The scratch memory that sum_channels() and sum_bias() need.
[[nodiscard]] std::int64_t reduction_scratch_bytes(const Geometry& g);

}  // namespace dlbench::backend::cpu
