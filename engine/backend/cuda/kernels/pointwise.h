// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise kernels on flat memory, including padding lanes.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace dlbench::backend::cuda {

/// Written so that NaN passes through: a NaN must reach the loss to be detected.
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
/// The reciprocal of a number >= 1. On a device within 1 ulp (PTX ISA, rcp.approx), and 0 if it
/// would be subnormal: with a division the sigmoid of 16-bit tensors reached 0.74 to 0.76 of an
/// H200's copy bandwidth, with this 0.86 to 0.89, both in grid-stride loops (now 0.97, README.md).
DLBENCH_HOST_DEVICE float reciprocal(float at_least_one) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(at_least_one));
  return result;
#else
  return 1.0F / at_least_one;
#endif
}
struct Sigmoid {
  static constexpr bool kBinary = false;
  static constexpr bool kKeepsZero = false;
  DLBENCH_HOST_DEVICE float operator()(float x, float /*unused*/) const {
    return reciprocal(1.0F + std::exp(-x));
  }
};
struct SigmoidBackward {
  static constexpr bool kBinary = true;
  static constexpr bool kKeepsZero = true;
  DLBENCH_HOST_DEVICE float operator()(float dy, float y) const { return dy * y * (1.0F - y); }
};
struct Multiply {
  static constexpr bool kBinary = true;
  static constexpr bool kKeepsZero = true;
  DLBENCH_HOST_DEVICE float operator()(float a, float b) const { return a * b; }
};

/// y = function(a, b) for the N elements of an item; the last item may have fewer. kPadded: there
/// are padding lanes whose zeros the function would not preserve. Checking that at run time costs
/// the sigmoid of 16-bit tensors 42 registers instead of 27, and so three of eight blocks.
template <typename T, int N, typename Function, bool kPadded>
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
    if constexpr (kPadded) {
      for (int lane = 0; lane < N; ++lane) {
        Index channel = 0;
        stride.split(offset + lane, channel);
        left[lane] = channel < channels ? left[lane] : 0.0F;
      }
    }
  }
};

template <typename Function, bool kPadded, typename Launcher>
void run_map_packs(Launcher& launcher, const PointwiseArgs& args) {
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
               MapPack<T, kN, Function, kPadded>{a, b, y, elements, stride, channels});
    } else {
      for_each(launcher,
               elements,
               MapPack<T, 1, Function, kPadded>{a, b, y, elements, stride, channels});
    }
  });
}

template <typename Function, typename Launcher>
void run_map(Launcher& launcher, const PointwiseArgs& args) {
  if constexpr (!Function::kKeepsZero) {
    if (args.layout.channels < args.layout.stride) {
      return run_map_packs<Function, true>(launcher, args);
    }
  }
  run_map_packs<Function, false>(launcher, args);
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
    case PointwiseOp::kMultiply:
      return run_map<Multiply>(launcher, args);
  }
}

/// What would be read back after storing a value as T.
template <typename T>
[[nodiscard]] DLBENCH_HOST_DEVICE float as_stored(float value) {
  T element;
  store(element, value);
  return to_float(element);
}

/// The sum of K packs; all are loaded before the first is added.
template <typename T, int N, int K>
DLBENCH_HOST_DEVICE void add_packs(const Pack<T, N> (&packs)[K], float (&sum)[N]) {
  widen(packs[0], sum);
  for (int k = 1; k < K; ++k) {
    float values[N];
    widen(packs[k], values);
    for (int lane = 0; lane < N; ++lane) {
      sum[lane] = (k > 1 ? as_stored<T>(sum[lane]) : sum[lane]) + values[lane];
    }
  }
}

/// For operands of equal stride: flat memory; the last item may have fewer elements.
template <typename T, int N, int K>
struct SumPack {
  const T* x[K];
  T* y;
  Index elements;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    const Index offset = item * N;
    Pack<T, N> packs[K] = {};
    float sum[N];
    if (offset + N <= elements) {
      for (int k = 0; k < K; ++k) {
        packs[k] = read_pack<N>(x[k] + offset);
      }
      add_packs(packs, sum);
      store_pack(y + offset, sum);
    } else {
      const int count = static_cast<int>(elements - offset);
      for (int k = 0; k < K; ++k) {
        for (int lane = 0; lane < N; ++lane) {
          packs[k].lane[lane] = lane < count ? x[k][offset + lane] : T{};
        }
      }
      add_packs(packs, sum);
      store_some(y + offset, count, sum);
    }
  }
};

/// For operands of different strides: an item is a pack of a position.
template <typename T, int N, int K>
struct SumRangesPack {
  const T* x[K];
  ShortIndex stride[K];
  T* y;
  Divisor packs;

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    PackIndex<N> pack = 0;
    const PackIndex<N> position = packs.split(item, pack);
    Pack<T, N> loaded[K];
    for (int k = 0; k < K; ++k) {
      loaded[k] = read_pack<N>(x[k] + Index{position} * stride[k] + Index{pack} * N);
    }
    float sum[N];
    add_packs(loaded, sum);
    store_pack(y + Index{item} * N, sum);
  }
};

template <typename T, int K, typename Launcher>
void run_sum_of(Launcher& launcher, const SumArgs& args) {
  constexpr int kN = kWide<T>;
  const ChannelsLast& layout = args.layout;
  const Index items = layout.elements() / kN;
  auto* y = static_cast<T*>(args.y);
  bool one_stride = true;
  bool wide = aligned(y) && layout.stride % kN == 0 && fits_short(items);
  bool flat = aligned(y);
  for (const SumArgs::Summand& summand : args.summands) {
    one_stride = one_stride && summand.stride == layout.stride;
    wide = wide && aligned(summand.x) && summand.stride % kN == 0;
    flat = flat && aligned(summand.x);
  }
  const auto fill = [&](auto body) {
    for (std::size_t k = 0; k < K; ++k) {
      body.x[k] = static_cast<const T*>(args.summands[k].x);
      if constexpr (requires { body.stride[k]; }) {
        body.stride[k] = to_short(args.summands[k].stride);
      }
    }
    return body;
  };
  if (one_stride && flat) {
    const SumPack<T, kN, K> body{.x = {}, .y = y, .elements = layout.elements()};
    for_each(launcher, ceil_divide<Index>(layout.elements(), kN), fill(body));
  } else if (one_stride) {
    const SumPack<T, 1, K> body{.x = {}, .y = y, .elements = layout.elements()};
    for_each(launcher, layout.elements(), fill(body));
  } else if (wide) {
    const SumRangesPack<T, kN, K> body{
        .x = {}, .stride = {}, .y = y, .packs = Divisor(layout.stride / kN)};
    for_each<PackIndex<kN>>(launcher, items, fill(body));
  } else {
    const SumRangesPack<T, 1, K> body{
        .x = {}, .stride = {}, .y = y, .packs = Divisor(layout.stride)};
    for_each(launcher, layout.elements(), fill(body));
  }
}

template <typename Launcher>
void run_sum(Launcher& launcher, const SumArgs& args) {
  visit_activation(args.dtype, [&](auto type) {
    using T = decltype(type);
    switch (args.summands.size()) {
      case 2:
        return run_sum_of<T, 2>(launcher, args);
      case 3:
        return run_sum_of<T, 3>(launcher, args);
      case 4:
        return run_sum_of<T, 4>(launcher, args);
      default:
        DLBENCH_CHECK(false) << "a sum of " << args.summands.size();
    }
  });
}

}  // namespace dlbench::backend::cuda
