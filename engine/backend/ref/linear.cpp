// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel_list.h"

#include <algorithm>
#include <array>

namespace dlbench::backend::ref {
namespace {

constexpr Index kRowChunk = 512;  // how many doubles of a row are accumulated at a time

template <typename T>
double dot(const T* a, const T* b, Index count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < count; ++i) {
    sum += load(a[i]) * load(b[i]);
  }
  return sum;
}

/// out[i] = sum over terms of factor[term * factor_stride] * rows[term * row_length + i], for one
/// row of length row_length.
template <typename T>
void combine_rows(
    const T* rows, Index row_length, const T* factor, Index factor_stride, Index terms, T* out) {
  std::array<double, kRowChunk> sums;
  for (Index begin = 0; begin < row_length; begin += kRowChunk) {
    const Index count = std::min(kRowChunk, row_length - begin);
    sums.fill(0.0);
    for (Index term = 0; term < terms; ++term) {
      const double weight = load(factor[term * factor_stride]);
      const T* row = rows + term * row_length + begin;
#pragma omp simd
      for (Index i = 0; i < count; ++i) {
        sums[static_cast<std::size_t>(i)] += weight * load(row[i]);
      }
    }
    for (Index i = 0; i < count; ++i) {
      store(out[begin + i], sums[static_cast<std::size_t>(i)]);
    }
  }
}

}  // namespace

void linear(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& weight = call.inputs[1];
  const Tensor* bias = call.inputs.size() > 2 ? &call.inputs[2] : nullptr;
  const Tensor& y = call.outputs[0];
  const Index batch = x.shape[0];
  const Index features_in = x.shape[1];
  const Index features_out = weight.shape[0];
  visit_float(x.dtype, [&](auto type) {
    using T = decltype(type);
#pragma omp parallel for collapse(2) num_threads(call.threads) schedule(static)
    for (Index o = 0; o < features_out; ++o) {
      for (Index n = 0; n < batch; ++n) {
        const double sum =
            dot(x.as<T>() + n * features_in, weight.as<T>() + o * features_in, features_in);
        store(y.as<T>()[n * features_out + o], sum + (bias != nullptr ? bias->read(o) : 0.0));
      }
    }
  });
}

void linear_backward_data(const Call& call) {
  const Tensor& dy = call.inputs[0];
  const Tensor& weight = call.inputs[1];
  const Tensor& dx = call.outputs[0];
  const Index features_out = dy.shape[1];
  const Index features_in = dx.shape[1];
  parallel_for(call, dy.dtype, dy.shape[0], [&](auto type, Index n) {
    using T = decltype(type);
    combine_rows(weight.as<T>(),
                 features_in,
                 dy.as<T>() + n * features_out,
                 1,
                 features_out,
                 dx.as<T>() + n * features_in);
  });
}

void linear_backward_weights(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& dy = call.inputs[1];
  const Tensor& dweight = call.outputs[0];
  const Index batch = x.shape[0];
  const Index features_in = x.shape[1];
  const Index features_out = dy.shape[1];
  parallel_for(call, x.dtype, features_out, [&](auto type, Index o) {
    using T = decltype(type);
    combine_rows(x.as<T>(),
                 features_in,
                 dy.as<T>() + o,
                 features_out,
                 batch,
                 dweight.as<T>() + o * features_in);
    if (call.outputs.size() > 1) {
      double sum = 0;
      for (Index n = 0; n < batch; ++n) {
        sum += load(dy.as<T>()[n * features_out + o]);
      }
      call.outputs[1].write(o, sum);
    }
  });
}

}  // namespace dlbench::backend::ref
