// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Max pooling and nearest-neighbour upsampling: an item is one pack of channels of one position, on
// the side that is read or written once; for upsampling see UpsamplePack.
#pragma once

#include "engine/backend/cuda/kernels/channels.h"
#include "engine/backend/cuda/kernels/resampling.h"

#include <array>
#include <cmath>
#include <type_traits>

namespace dlbench::backend::cuda {

/// Kernel extents and strides of a pooling window.
struct PoolWindow {
  Coordinate kernel[3];
  Coordinate stride[3];
  Divisor by_stride[3];
  explicit PoolWindow(const MaxPoolArgs& args) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      kernel[axis] = static_cast<Coordinate>(args.kernel[axis]);
      stride[axis] = static_cast<Coordinate>(args.stride[axis]);
      by_stride[axis] = Divisor(args.stride[axis]);
    }
  }
};

template <typename T, int N>
struct MaxPoolPack {
  static constexpr int kBlocks = 4;  ///< without it ptxas aims at eight and spills
  const T* x;
  T* y;
  std::uint8_t* argmax;
  Resampling sides;
  PoolWindow window;

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    const auto at = place_of(item, sides.packs, sides.y);
    const Slab from = sides.slab(sides.x, at);
    float best[N] = {};
    Pack<std::uint8_t, N> taps = {};
    int tap = 0;
    for (Coordinate kd = 0; kd < window.kernel[0]; ++kd) {
      for (Coordinate kh = 0; kh < window.kernel[1]; ++kh) {
        for (Coordinate kw = 0; kw < window.kernel[2]; ++kw) {
          float values[N];
          load_pack(x + from.offset(at.d * window.stride[0] + kd,
                                    at.h * window.stride[1] + kh,
                                    at.w * window.stride[2] + kw),
                    values);
          for (int lane = 0; lane < N; ++lane) {
            // The first maximum wins; NaN beats numbers and is then never replaced.
            const bool better = values[lane] > best[lane] ||
                                (values[lane] != values[lane] && best[lane] == best[lane]);
            if (tap == 0 || better) {
              best[lane] = values[lane];
              taps.lane[lane] = static_cast<std::uint8_t>(tap);
            }
          }
          ++tap;
        }
      }
    }
    store_pack(y + Index{item} * N, best);
    write_pack(argmax + Index{item} * N, taps);
  }
};

template <typename T, int N, int kDepth>
struct MaxPoolWindowPack {
  const T* x;
  T* y;
  std::uint8_t* argmax;
  Resampling sides;
  PoolWindow window;

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    const auto at = place_of(item, sides.packs, sides.y);
    Pack<T, N> taps[4 * kDepth];
    read_window<kDepth>(x,
                        sides.slab(sides.x, at),
                        at.d * window.stride[0],
                        at.h * window.stride[1],
                        at.w * window.stride[2],
                        taps);
    float best[N];
    widen(taps[0], best);
    int chosen[N] = {};
    for (int tap = 1; tap < 4 * kDepth; ++tap) {
      float values[N];
      widen(taps[tap], values);
      for (int lane = 0; lane < N; ++lane) {
        // As MaxPoolPack, with selections instead of branches: NaN is not <= a number either.
        const bool better = !(values[lane] <= best[lane]) & (best[lane] == best[lane]);
        best[lane] = better ? values[lane] : best[lane];
        chosen[lane] = better ? tap : chosen[lane];
      }
    }
    store_pack(y + Index{item} * N, best);
    Pack<std::uint8_t, N> bytes;
    for (int lane = 0; lane < N; ++lane) {
      bytes.lane[lane] = static_cast<std::uint8_t>(chosen[lane]);
    }
    write_pack(argmax + Index{item} * N, bytes);
  }
};

/// Along one axis, the outputs [begin, end) whose windows contain an input.
struct Reach {
  Coordinate begin;
  Coordinate end;
};
[[nodiscard]] DLBENCH_HOST_DEVICE Reach reach_of(Coordinate input,
                                                 const PoolWindow& window,
                                                 int axis,
                                                 const Divisor& outputs) {
  const Coordinate first = input - window.kernel[axis] + window.stride[axis];
  const auto last = static_cast<Coordinate>(window.by_stride[axis].divide(input)) + 1;
  const auto count = static_cast<Coordinate>(outputs.value());
  return {first < 0 ? 0 : static_cast<Coordinate>(window.by_stride[axis].divide(first)),
          last < count ? last : count};
}

template <typename T, int N>
struct MaxPoolBackwardPack {
  const T* dy;
  const std::uint8_t* argmax;
  T* dx;
  Resampling sides;
  PoolWindow window;

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    const auto at = place_of(item, sides.packs, sides.x);
    const Slab from = sides.slab(sides.y, at);
    const Reach depth = reach_of(at.d, window, 0, sides.y.depth);
    const Reach height = reach_of(at.h, window, 1, sides.y.height);
    const Reach width = reach_of(at.w, window, 2, sides.y.width);
    float sum[N] = {};
    for (Coordinate d = depth.begin; d < depth.end; ++d) {
      for (Coordinate h = height.begin; h < height.end; ++h) {
        for (Coordinate w = width.begin; w < width.end; ++w) {
          // The gradient is added to the lanes whose maximum is here.
          const Coordinate kd = at.d - d * window.stride[0];
          const Coordinate kh = at.h - h * window.stride[1];
          const Coordinate kw = at.w - w * window.stride[2];
          const Coordinate tap = (kd * window.kernel[1] + kh) * window.kernel[2] + kw;
          const Index offset = from.offset(d, h, w);
          const auto taps = read_pack<N>(argmax + offset);
          float gradient[N];
          load_pack(dy + offset, gradient);
          for (int lane = 0; lane < N; ++lane) {
            sum[lane] += taps.lane[lane] == tap ? gradient[lane] : 0.0F;
          }
        }
      }
    }
    store_pack(dx + Index{item} * N, sum);
  }
};

/// Whether each input belongs to exactly one window.
[[nodiscard]] inline bool windows_tile(const MaxPoolArgs& args) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (args.kernel[axis] != args.stride[axis] ||
        args.planes.x[axis] != args.planes.y[axis] * args.kernel[axis]) {
      return false;
    }
  }
  return true;
}

/// For windows that tile x. An item is a pack of one row of dy stretched to the width of dx:
/// neighbouring threads write neighbouring packs, each to all rows of the window.
template <typename T, int N>
struct MaxPoolScatterPack {
  const T* dy;
  const std::uint8_t* argmax;
  T* dx;
  Resampling sides;
  PoolWindow window;

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    PackIndex<N> pack = 0;
    PackIndex<N> w = 0;
    PackIndex<N> h = 0;
    PackIndex<N> tap = 0;
    const PackIndex<N> row = sides.x.width.split(sides.packs.split(item, pack), w);
    const PackIndex<N> plane = sides.y.height.split(row, h);
    const auto y_width = static_cast<PackIndex<N>>(sides.y.width.value());
    const PackIndex<N> position = row * y_width + window.by_stride[2].split(w, tap);
    const Index from = Index{position} * sides.y.stride + Index{pack} * N;
    const auto taps = read_pack<N>(argmax + from);
    float gradient[N];
    load_pack(dy + from, gradient);
    const auto x_height = static_cast<PackIndex<N>>(sides.x.height.value());
    const auto x_width = static_cast<PackIndex<N>>(sides.x.width.value());
    const PackIndex<N> first = plane * window.kernel[0] * x_height + h * window.kernel[1];
    T* to = dx + Index{first * x_width + w} * sides.x.stride + Index{pack} * N;
    const Index x_row = Index{x_width} * sides.x.stride;
    for (Coordinate kd = 0; kd < window.kernel[0]; ++kd) {
      T* at = to;
      DLBENCH_UNROLL(1)
      for (Coordinate kh = 0; kh < window.kernel[1]; ++kh) {
        // A sum of one term, as in MaxPoolBackwardPack: -0 becomes 0.
        float sum[N] = {};
        for (int lane = 0; lane < N; ++lane) {
          sum[lane] += taps.lane[lane] == tap ? gradient[lane] : 0.0F;
        }
        store_pack(at, sum);
        at += x_row;
        tap += window.kernel[2];
      }
      to += x_height * x_row;
    }
  }
};

template <typename Launcher>
void run_max_pool_forward(Launcher& launcher, const MaxPoolArgs& args) {
  const Planes& planes = args.planes;
  const Index positions = planes.batch * volume(planes.y);
  visit_counted_packs(
      args.dtype,
      positions,
      planes.x_stride,
      planes.y_stride,
      [&](auto type, auto width) {
        using T = decltype(type);
        constexpr int kN = decltype(width)::value;
        const Resampling sides(planes, kN);
        const auto* x = static_cast<const T*>(args.x);
        auto* y = static_cast<T*>(args.y);
        const PoolWindow window(args);
        visit_window<kN>(args.kernel, [&](auto depth) {
          constexpr int kDepth = decltype(depth)::value;
          using Body =
              std::conditional_t<kDepth == 0, MaxPoolPack<T, kN>, MaxPoolWindowPack<T, kN, kDepth>>;
          for_each<PackIndex<kN>>(
              launcher, positions * sides.packs.value(), Body{x, y, args.argmax, sides, window});
        });
      },
      args.x,
      args.y,
      args.argmax);
}

template <typename Launcher>
void run_max_pool_backward(Launcher& launcher, const MaxPoolArgs& args) {
  const Planes& planes = args.planes;
  const Index positions = planes.batch * volume(planes.x);
  visit_counted_packs(
      args.dtype,
      positions,
      planes.x_stride,
      planes.y_stride,
      [&](auto type, auto width) {
        using T = decltype(type);
        constexpr int kN = decltype(width)::value;
        const Resampling sides(planes, kN);
        const auto* dy = static_cast<const T*>(args.dy);
        auto* dx = static_cast<T*>(args.dx);
        const PoolWindow window(args);
        if constexpr (kN > 1) {
          if (windows_tile(args)) {
            for_each<PackIndex<kN>>(
                launcher,
                planes.batch * volume(planes.y) * args.kernel[2] * sides.packs.value(),
                MaxPoolScatterPack<T, kN>{dy, args.argmax, dx, sides, window});
            return;
          }
        }
        for_each<PackIndex<kN>>(launcher,
                                positions * sides.packs.value(),
                                MaxPoolBackwardPack<T, kN>{dy, args.argmax, dx, sides, window});
      },
      args.argmax,
      args.dy,
      args.dx);
}

template <typename Launcher>
void run_max_pool(Launcher& launcher, const MaxPoolArgs& args, bool backward) {
  backward ? run_max_pool_backward(launcher, args) : run_max_pool_forward(launcher, args);
}

/// The upsampling factors of the three axes.
struct Factors {
  Coordinate axis[3];
  explicit Factors(const std::array<Index, 3>& factors)
      : axis{to_short(factors[0]), to_short(factors[1]), to_short(factors[2])} {}
};

/// An item is a pack of one row of x stretched to the width of y: neighbouring threads write
/// neighbouring packs, whereas a thread that wrote all outputs of its pack would leave gaps between
/// its writes and those of its neighbours. It is read once and written to all rows that copy it.
template <typename T, int N>
struct UpsamplePack {
  const T* x;
  T* y;
  Resampling sides;
  Factors factors;
  Divisor by_width;  ///< factors.axis[2]

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    PackIndex<N> pack = 0;
    PackIndex<N> w = 0;
    PackIndex<N> h = 0;
    const PackIndex<N> row = sides.y.width.split(sides.packs.split(item, pack), w);
    const PackIndex<N> plane = sides.x.height.split(row, h);
    const auto x_width = static_cast<PackIndex<N>>(sides.x.width.value());
    const PackIndex<N> position = row * x_width + by_width.divide(w);
    const auto value = read_pack<N>(x + Index{position} * sides.x.stride + Index{pack} * N);
    const auto y_height = static_cast<PackIndex<N>>(sides.y.height.value());
    const auto y_width = static_cast<PackIndex<N>>(sides.y.width.value());
    const PackIndex<N> first = plane * factors.axis[0] * y_height + h * factors.axis[1];
    T* to = y + Index{first * y_width + w} * sides.y.stride + Index{pack} * N;
    const Index y_row = Index{y_width} * sides.y.stride;
    for (Coordinate d = 0; d < factors.axis[0]; ++d) {
      T* at = to;
      DLBENCH_UNROLL(1)
      for (Coordinate k = 0; k < factors.axis[1]; ++k) {
        write_pack(at, value);
        at += y_row;
      }
      to += y_height * y_row;
    }
  }
};

template <typename T, int N>
struct UpsampleBackwardPack {
  const T* dy;
  T* dx;
  Resampling sides;
  Factors factors;

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    const auto at = place_of(item, sides.packs, sides.x);
    const Slab from = sides.slab(sides.y, at);
    float sum[N] = {};
    for (Coordinate d = 0; d < factors.axis[0]; ++d) {
      for (Coordinate h = 0; h < factors.axis[1]; ++h) {
        DLBENCH_UNROLL(2)
        for (Coordinate w = 0; w < factors.axis[2]; ++w) {
          float values[N];
          load_pack(dy + from.offset(at.d * factors.axis[0] + d,
                                     at.h * factors.axis[1] + h,
                                     at.w * factors.axis[2] + w),
                    values);
          for (int lane = 0; lane < N; ++lane) {
            sum[lane] += values[lane];
          }
        }
      }
    }
    store_pack(dx + Index{item} * N, sum);
  }
};

/// For factors of kDepth x 2 x 2.
template <typename T, int N, int kDepth>
struct UpsampleBackwardWindowPack {
  const T* dy;
  T* dx;
  Resampling sides;
  Factors factors;

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    const auto at = place_of(item, sides.packs, sides.x);
    Pack<T, N> outputs[4 * kDepth];
    read_window<kDepth>(dy, sides.slab(sides.y, at), at.d * kDepth, at.h * 2, at.w * 2, outputs);
    float sum[N] = {};
    for (int output = 0; output < 4 * kDepth; ++output) {
      float values[N];
      widen(outputs[output], values);
      for (int lane = 0; lane < N; ++lane) {
        sum[lane] += values[lane];
      }
    }
    store_pack(dx + Index{item} * N, sum);
  }
};

template <typename Launcher>
void run_upsample(Launcher& launcher, const UpsampleArgs& args, bool backward) {
  const Planes& planes = args.planes;
  std::array<Index, 3> factors{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    DLBENCH_CHECK(planes.y[axis] % planes.x[axis] == 0)
        << planes.x[axis] << " to " << planes.y[axis];
    factors[axis] = planes.y[axis] / planes.x[axis];
  }
  const Index positions = planes.batch * volume(planes.x) * (backward ? 1 : factors[2]);
  visit_counted_packs(
      args.dtype,
      // Forward, positions of y are counted by a PackIndex too, and may exceed the items.
      backward ? positions : planes.batch * volume(planes.y),
      planes.x_stride,
      planes.y_stride,
      [&](auto type, auto width) {
        using T = decltype(type);
        constexpr int kN = decltype(width)::value;
        const Resampling sides(planes, kN);
        const auto* from = static_cast<const T*>(args.from);
        auto* to = static_cast<T*>(args.to);
        const Index items = positions * sides.packs.value();
        if (!backward) {
          for_each<PackIndex<kN>>(
              launcher,
              items,
              UpsamplePack<T, kN>{from, to, sides, Factors(factors), Divisor(factors[2])});
          return;
        }
        visit_window<kN>(factors, [&](auto depth) {
          constexpr int kDepth = decltype(depth)::value;
          using Body = std::conditional_t<kDepth == 0,
                                          UpsampleBackwardPack<T, kN>,
                                          UpsampleBackwardWindowPack<T, kN, kDepth>>;
          for_each<PackIndex<kN>>(launcher, items, Body{from, to, sides, Factors(factors)});
        });
      },
      args.from,
      args.to);
}

}  // namespace dlbench::backend::cuda
