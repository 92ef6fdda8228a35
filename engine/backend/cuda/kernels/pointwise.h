// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise kernels over flat memory, padding lanes included.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"

#include <cmath>

namespace dlbench::backend::cuda {

/// Written so that NaN passes: a NaN must reach the loss to be found.
struct Relu {
  static constexpr bool kBinary = false;
  static constexpr bool kKeepsZero = true;
  DLBENCH_HOST_DEVICE float operator()(float x, float /*unused*/) const { return x <= 0 ? 0 : x; }
};
struct ReluBackward {
  static constexpr bool kBinary = true;
  static constexpr bool kKeepsZero = true;
  DLBENCH_HOST_DEVICE float operator()(float dy, float y) const { return y <= 0 ? 0 : dy; }
};
struct Sigmoid {
  static constexpr bool kBinary = false;
  static constexpr bool kKeepsZero = false;
  DLBENCH_HOST_DEVICE float operator()(float x, float /*unused*/) const {
    return 1.0F / (1.0F + std::exp(-x));
  }
};
struct SigmoidBackward {
  static constexpr bool kBinary = true;
  static constexpr bool kKeepsZero = true;
  DLBENCH_HOST_DEVICE float operator()(float dy, float y) const { return dy * y * (1.0F - y); }
};
struct Add {
  static constexpr bool kBinary = true;
  static constexpr bool kKeepsZero = true;
  DLBENCH_HOST_DEVICE float operator()(float a, float b) const { return a + b; }
};
struct Multiply {
  static constexpr bool kBinary = true;
  static constexpr bool kKeepsZero = true;
  DLBENCH_HOST_DEVICE float operator()(float a, float b) const { return a * b; }
};

/// y = function(a, b) for the N elements of an item; the last item may have fewer.
template <typename T, int N, typename Function>
struct MapPack {
  const T* a;
  const T* b;
  T* y;
  Index elements;
  Divisor stride;
  Index channels;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    const Index offset = item * N;
    float left[N];
    float right[N] = {};
    if (offset + N <= elements) {
      load_pack(a + offset, left);
      if constexpr (Function::kBinary) {
        load_pack(b + offset, right);
      }
      compute(offset, left, right);
      store_pack(y + offset, left);
    } else {
      const int count = static_cast<int>(elements - offset);
      load_some(a + offset, count, left);
      if constexpr (Function::kBinary) {
        load_some(b + offset, count, right);
      }
      compute(offset, left, right);
      store_some(y + offset, count, left);
    }
  }

 private:
  DLBENCH_HOST_DEVICE void compute(Index offset, float (&left)[N], const float (&right)[N]) const {
    for (int lane = 0; lane < N; ++lane) {
      left[lane] = Function{}(left[lane], right[lane]);
    }
    if constexpr (!Function::kKeepsZero) {
      if (channels < stride.value()) {
        for (int lane = 0; lane < N; ++lane) {
          Index channel = 0;
          stride.split(offset + lane, channel);
          left[lane] = channel < channels ? left[lane] : 0.0F;
        }
      }
    }
  }
};

template <typename Function, typename Launcher>
void run_map(Launcher& launcher, const PointwiseArgs& args) {
  visit_activation(args.dtype, [&](auto type) {
    using T = decltype(type);
    const auto* a = static_cast<const T*>(args.a);
    const auto* b = static_cast<const T*>(args.b);
    auto* y = static_cast<T*>(args.y);
    const Index elements = args.layout.elements();
    const Divisor stride(args.layout.stride);
    const Index channels = args.layout.channels;
    if (aligned(a, b, y)) {
      constexpr int kN = kWide<T>;
      for_each(launcher,
               ceil_divide<Index>(elements, kN),
               MapPack<T, kN, Function>{a, b, y, elements, stride, channels});
    } else {
      for_each(launcher, elements, MapPack<T, 1, Function>{a, b, y, elements, stride, channels});
    }
  });
}

template <typename Launcher>
void run_pointwise(Launcher& launcher, PointwiseOp op, const PointwiseArgs& args) {
  switch (op) {
    case PointwiseOp::kRelu:
      return run_map<Relu>(launcher, args);
    case PointwiseOp::kReluBackward:
      return run_map<ReluBackward>(launcher, args);
    case PointwiseOp::kSigmoid:
      return run_map<Sigmoid>(launcher, args);
    case PointwiseOp::kSigmoidBackward:
      return run_map<SigmoidBackward>(launcher, args);
    case PointwiseOp::kAdd:
      return run_map<Add>(launcher, args);
    case PointwiseOp::kMultiply:
      return run_map<Multiply>(launcher, args);
  }
}

}  // namespace dlbench::backend::cuda
