// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops with one number per channel, or per channel and sample: bias, gates, sums.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/reduce.h"

namespace dlbench::backend::cuda {

/// N per-channel numbers.
template <int N>
struct Channel {
  float value[N];
};

/// Loads elements [column, column + N) of a dense array of `channels`, with `missing` for channels
/// that do not exist. Uses wide accesses if the address allows it.
template <int N, typename T>
DLBENCH_HOST_DEVICE void load_channels(
    const T* from, Index column, Index channels, float (&values)[N], float missing = 0.0F) {
  const auto address = reinterpret_cast<std::uintptr_t>(from + column);
  if (column + N <= channels && address % alignof(Pack<T, N>) == 0) {
    load_pack(from + column, values);
    return;
  }
  for (int lane = 0; lane < N; ++lane) {
    values[lane] = column + lane < channels ? to_float(from[column + lane]) : missing;
  }
}

/// Calls visit(element, width) with the widest packs that the layout and the addresses allow.
template <typename Visitor, typename... Pointers>
void visit_packs(core::DType dtype,
                 Index stride,
                 const Visitor& visitor,
                 const Pointers*... pointers) {
  visit_activation(dtype, [&](auto type) {
    using T = decltype(type);
    if (stride % kWide<T> == 0 && aligned(pointers...)) {
      visitor(type, std::integral_constant<int, kWide<T>>{});
    } else {
      visitor(type, std::integral_constant<int, 1>{});
    }
  });
}

/// As visit_packs(), for a launch with one item per pack of `positions` positions of `lanes` lanes,
/// counted by a PackIndex. `stride`: the largest distance between successive positions.
template <typename Visitor, typename... Pointers>
void visit_counted_packs(core::DType dtype,
                         Index positions,
                         Index lanes,
                         Index stride,
                         const Visitor& visitor,
                         const Pointers*... pointers) {
  visit_activation(dtype, [&](auto type) {
    using T = decltype(type);
    if (lanes % kWide<T> == 0 && stride % kWide<T> == 0 &&
        fits_short(positions * (lanes / kWide<T>)) && aligned(pointers...)) {
      visitor(type, std::integral_constant<int, kWide<T>>{});
    } else {
      visitor(type, std::integral_constant<int, 1>{});
    }
  });
}

/// Adds the bias. Padding stays zero, since it has no bias.
template <typename T, int N>
struct AddBias {
  const T* x;
  const T* bias;
  T* y;
  Index channels;
  bool relu;

  DLBENCH_HOST_DEVICE Channel<N> prepare(Index /*group*/, Index column) const {
    Channel<N> result;
    load_channels(bias, column, channels, result.value);
    return result;
  }
  DLBENCH_HOST_DEVICE Pack<T, N> load(Index offset) const { return read_pack<N>(x + offset); }
  DLBENCH_HOST_DEVICE void finish(const Channel<N>& b,
                                  const Pack<T, N>& loaded,
                                  Index offset) const {
    float values[N];
    widen(loaded, values);
    for (int lane = 0; lane < N; ++lane) {
      const float sum = values[lane] + b.value[lane];
      values[lane] = relu && sum <= 0.0F ? 0.0F : sum;
    }
    store_pack(y + offset, values);
  }
};

template <typename Launcher>
void run_add_bias(Launcher& launcher, const BiasArgs& args) {
  visit_packs(
      args.dtype,
      args.layout.stride,
      [&](auto type, auto width) {
        using T = decltype(type);
        constexpr int kN = decltype(width)::value;
        walk_columns(launcher,
                     1,
                     args.layout.positions(),
                     args.layout.stride,
                     kN,
                     AddBias<T, kN>{static_cast<const T*>(args.x),
                                    static_cast<const T*>(args.bias),
                                    static_cast<T*>(args.y),
                                    args.layout.channels,
                                    args.relu});
      },
      args.x,
      args.y);
}

/// y = x gate + shift share; the padding of gate and shift is zero, like that of x.
template <typename T, int N>
struct ScaleColumns {
  const T* x;
  const T* gate;
  const T* shift;
  T* y;
  Index gate_stride;
  float share;

  struct Constants {
    float gate[N];
    float shift[N];
  };
  DLBENCH_HOST_DEVICE Constants prepare(Index sample, Index column) const {
    Constants result = {};
    if (x != nullptr) {
      load_channels(gate + sample * gate_stride, column, gate_stride, result.gate);
    }
    if (shift != nullptr) {
      load_channels(shift + sample * gate_stride, column, gate_stride, result.shift);
      for (int lane = 0; lane < N; ++lane) {
        result.shift[lane] *= share;
      }
    }
    return result;
  }
  DLBENCH_HOST_DEVICE Pack<T, N> load(Index offset) const {
    return x != nullptr ? read_pack<N>(x + offset) : Pack<T, N>{};
  }
  DLBENCH_HOST_DEVICE void finish(const Constants& constants,
                                  const Pack<T, N>& loaded,
                                  Index offset) const {
    float values[N];
    widen(loaded, values);
    for (int lane = 0; lane < N; ++lane) {
      values[lane] = values[lane] * constants.gate[lane] + constants.shift[lane];
    }
    store_pack(y + offset, values);
  }
};

template <typename Launcher>
void run_scale_channels(Launcher& launcher, const ScaleChannelsArgs& args) {
  DLBENCH_CHECK(args.gate_stride >= args.layout.channels) << "gates of stride " << args.gate_stride;
  visit_packs(
      args.dtype,
      args.layout.stride,
      [&](auto type, auto width) {
        using T = decltype(type);
        constexpr int kN = decltype(width)::value;
        walk_columns(launcher,
                     args.layout.batch,
                     args.layout.spatial,
                     args.layout.stride,
                     kN,
                     ScaleColumns<T, kN>{static_cast<const T*>(args.x),
                                         static_cast<const T*>(args.gate),
                                         static_cast<const T*>(args.shift),
                                         static_cast<T*>(args.y),
                                         args.gate_stride,
                                         1.0F / static_cast<float>(args.layout.spatial)});
      },
      args.x,
      args.y);
}

/// The source of sums over a, or over a b.
template <typename T, int N, bool kProduct>
struct ProductSource {
  static constexpr int kAhead = kProduct ? 2 : 4;
  static constexpr int kBlocks = 4;
  const T* a;
  const T* b;

  struct Constants {};
  DLBENCH_HOST_DEVICE Constants prepare(Index /*group*/, Index /*column*/) const { return {}; }
  struct Loaded {
    Pack<T, N> a;
    Pack<T, N> b;
  };
  DLBENCH_HOST_DEVICE Loaded load(Index offset) const {
    return {read_pack<N>(a + offset), kProduct ? read_pack<N>(b + offset) : Pack<T, N>{}};
  }
  DLBENCH_HOST_DEVICE void add(const Constants& /*none*/,
                               const Loaded& loaded,
                               float (&sum)[1][N]) const {
    float left[N];
    widen(loaded.a, left);
    if constexpr (kProduct) {
      float right[N];
      widen(loaded.b, right);
      for (int lane = 0; lane < N; ++lane) {
        sum[0][lane] += left[lane] * right[lane];
      }
    } else {
      for (int lane = 0; lane < N; ++lane) {
        sum[0][lane] += left[lane];
      }
    }
  }
};

template <typename T>
struct StoreSum {
  T* result;
  Index stride;
  double factor;
  DLBENCH_HOST_DEVICE void operator()(Index group, Index column, const double (&sums)[1]) const {
    store(result[group * stride + column], static_cast<float>(sums[0] * factor));
  }
};

/// How the sums over a tensor are divided among threads: per sample, or over the whole batch.
[[nodiscard]] inline Columns sum_columns(const ChannelsLast& layout, bool per_sample, int width) {
  return per_sample ? reduction_columns(layout.batch, layout.spatial, layout.stride, width)
                    : reduction_columns(1, layout.positions(), layout.stride, width);
}

template <bool kProduct, typename Launcher>
void run_sums(Launcher& launcher, const ChannelSumsArgs& args) {
  visit_packs(
      args.dtype,
      args.layout.stride,
      [&](auto type, auto width) {
        using T = decltype(type);
        constexpr int kN = decltype(width)::value;
        const Index used = args.per_sample ? args.result_stride : args.layout.channels;
        DLBENCH_CHECK(used <= args.layout.stride) << used << " sums of " << args.layout.stride;
        reduce_columns<1, kN>(
            launcher,
            sum_columns(args.layout, args.per_sample, kN),
            used,
            ProductSource<T, kN, kProduct>{static_cast<const T*>(args.a),
                                           static_cast<const T*>(args.b)},
            StoreSum<T>{static_cast<T*>(args.result), used, static_cast<double>(args.factor)},
            static_cast<float*>(args.scratch));
      },
      args.a,
      args.b);
}

template <typename Launcher>
void run_channel_sums(Launcher& launcher, const ChannelSumsArgs& args) {
  args.b == nullptr ? run_sums<false>(launcher, args) : run_sums<true>(launcher, args);
}

}  // namespace dlbench::backend::cuda
