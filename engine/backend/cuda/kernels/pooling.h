// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Max pooling and nearest upsampling: an item is one pack of channels of one position.
#pragma once

#include "engine/backend/cuda/kernels/channels.h"

#include <cmath>

namespace dlbench::backend::cuda {

/// (D, H, W) counters of positions.
struct Extents {
  Divisor depth;
  Divisor height;
  Divisor width;

  explicit Extents(const std::array<Index, 3>& e) : depth(e[0]), height(e[1]), width(e[2]) {}
  [[nodiscard]] DLBENCH_HOST_DEVICE Index index(Index d, Index h, Index w) const {
    return (d * height.value() + h) * width.value() + w;
  }
};

/// Where an item of a tensor stands.
struct Place {
  Index sample;
  Index d;
  Index h;
  Index w;
  Index pack;
};
[[nodiscard]] DLBENCH_HOST_DEVICE Place place_of(Index item,
                                                 const Divisor& packs,
                                                 const Extents& extents) {
  Place place{};
  const Index position = packs.split(item, place.pack);
  const Index row = extents.width.split(position, place.w);
  const Index plane = extents.height.split(row, place.h);
  place.sample = extents.depth.split(plane, place.d);
  return place;
}

/// Both sides of a pooling or an upsampling.
struct Resampling {
  Extents x;
  Extents y;
  Divisor packs;  ///< of a position
  Index stride;

  Resampling(const Planes& planes, int width)
      : x(planes.x), y(planes.y), packs(planes.stride / width), stride(planes.stride) {}
  /// Offset of the first lane of a pack.
  [[nodiscard]] DLBENCH_HOST_DEVICE Index
  offset(const Extents& side, const Place& at, Index d, Index h, Index w) const {
    const Index position =
        at.sample * side.depth.value() * side.height.value() * side.width.value() +
        side.index(d, h, w);
    return position * stride + at.pack * (stride / packs.value());
  }
};

/// Kernel extents and steps of a pooling window.
struct PoolSteps {
  Index kernel[3];
  Divisor step[3];
  explicit PoolSteps(const MaxPoolArgs& args)
      : kernel{args.kernel[0], args.kernel[1], args.kernel[2]},
        step{Divisor(args.step[0]), Divisor(args.step[1]), Divisor(args.step[2])} {}
};

template <typename T, int N>
struct MaxPoolPack {
  const T* x;
  T* y;
  std::uint8_t* argmax;
  Resampling sides;
  PoolSteps window;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    const Place at = place_of(item, sides.packs, sides.y);
    float best[N] = {};
    Pack<std::uint8_t, N> taps = {};
    int tap = 0;
    for (Index kd = 0; kd < window.kernel[0]; ++kd) {
      for (Index kh = 0; kh < window.kernel[1]; ++kh) {
        for (Index kw = 0; kw < window.kernel[2]; ++kw) {
          float values[N];
          load_pack(x + sides.offset(sides.x,
                                     at,
                                     at.d * window.step[0].value() + kd,
                                     at.h * window.step[1].value() + kh,
                                     at.w * window.step[2].value() + kw),
                    values);
          for (int lane = 0; lane < N; ++lane) {
            // The first maximum wins; NaN wins over numbers and is then never replaced.
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
    const Index offset = sides.offset(sides.y, at, at.d, at.h, at.w);
    store_pack(y + offset, best);
    *reinterpret_cast<Pack<std::uint8_t, N>*>(argmax + offset) = taps;
  }
};

/// Along one axis: the outputs whose windows reach an input.
struct Reach {
  Index begin;
  Index end;
};
[[nodiscard]] DLBENCH_HOST_DEVICE Reach reach_of(Index input,
                                                 Index kernel,
                                                 const Divisor& step,
                                                 Index outputs) {
  const Index first = input - kernel + step.value();
  const Index last = step.divide(input) + 1;
  return {first < 0 ? 0 : step.divide(first), last < outputs ? last : outputs};
}

template <typename T, int N>
struct MaxPoolBackwardPack {
  const T* dy;
  const std::uint8_t* argmax;
  T* dx;
  Resampling sides;
  PoolSteps window;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    const Place at = place_of(item, sides.packs, sides.x);
    const Reach depth = reach_of(at.d, window.kernel[0], window.step[0], sides.y.depth.value());
    const Reach height = reach_of(at.h, window.kernel[1], window.step[1], sides.y.height.value());
    const Reach width = reach_of(at.w, window.kernel[2], window.step[2], sides.y.width.value());
    float sum[N] = {};
    for (Index d = depth.begin; d < depth.end; ++d) {
      for (Index h = height.begin; h < height.end; ++h) {
        for (Index w = width.begin; w < width.end; ++w) {
          add_output(at, d, h, w, sum);
        }
      }
    }
    store_pack(dx + sides.offset(sides.x, at, at.d, at.h, at.w), sum);
  }

 private:
  /// Adds the gradient of output (d, h, w) in the lanes whose maximum is here.
  DLBENCH_HOST_DEVICE void add_output(
      const Place& at, Index d, Index h, Index w, float (&sum)[N]) const {
    const Index kd = at.d - d * window.step[0].value();
    const Index kh = at.h - h * window.step[1].value();
    const Index kw = at.w - w * window.step[2].value();
    const Index tap = (kd * window.kernel[1] + kh) * window.kernel[2] + kw;
    const Index offset = sides.offset(sides.y, at, d, h, w);
    const auto taps = *reinterpret_cast<const Pack<std::uint8_t, N>*>(argmax + offset);
    float gradient[N];
    load_pack(dy + offset, gradient);
    for (int lane = 0; lane < N; ++lane) {
      sum[lane] += taps.lane[lane] == tap ? gradient[lane] : 0.0F;
    }
  }
};

[[nodiscard]] inline Index volume(const std::array<Index, 3>& extents) {
  return extents[0] * extents[1] * extents[2];
}

template <typename Launcher>
void run_max_pool(Launcher& launcher, const MaxPoolArgs& args, bool backward) {
  const Planes& planes = args.planes;
  const Index positions = planes.batch * volume(backward ? planes.x : planes.y);
  visit_packs(
      args.dtype,
      planes.stride,
      [&](auto type, auto width) {
        using T = decltype(type);
        constexpr int kN = decltype(width)::value;
        const Resampling sides(planes, kN);
        const Index items = positions * sides.packs.value();
        if (backward) {
          for_each(launcher,
                   items,
                   MaxPoolBackwardPack<T, kN>{static_cast<const T*>(args.dy),
                                              args.argmax,
                                              static_cast<T*>(args.dx),
                                              sides,
                                              PoolSteps(args)});
        } else {
          for_each(launcher,
                   items,
                   MaxPoolPack<T, kN>{static_cast<const T*>(args.x),
                                      static_cast<T*>(args.y),
                                      args.argmax,
                                      sides,
                                      PoolSteps(args)});
        }
      },
      args.x,
      args.y,
      args.argmax,
      args.dy,
      args.dx);
}

/// Factors of the three axes.
struct Factors {
  Divisor axis[3];
  explicit Factors(const Planes& planes)
      : axis{Divisor(planes.y[0] / planes.x[0]),
             Divisor(planes.y[1] / planes.x[1]),
             Divisor(planes.y[2] / planes.x[2])} {}
};

template <typename T, int N>
struct UpsamplePack {
  const T* x;
  T* y;
  Resampling sides;
  Factors factors;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    const Place at = place_of(item, sides.packs, sides.y);
    const Index from = sides.offset(sides.x,
                                    at,
                                    factors.axis[0].divide(at.d),
                                    factors.axis[1].divide(at.h),
                                    factors.axis[2].divide(at.w));
    *reinterpret_cast<Pack<T, N>*>(y + item * N) = *reinterpret_cast<const Pack<T, N>*>(x + from);
  }
};

template <typename T, int N>
struct UpsampleBackwardPack {
  const T* dy;
  T* dx;
  Resampling sides;
  Factors factors;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    const Place at = place_of(item, sides.packs, sides.x);
    float sum[N] = {};
    for (Index d = 0; d < factors.axis[0].value(); ++d) {
      for (Index h = 0; h < factors.axis[1].value(); ++h) {
        for (Index w = 0; w < factors.axis[2].value(); ++w) {
          float values[N];
          load_pack(dy + sides.offset(sides.y,
                                      at,
                                      at.d * factors.axis[0].value() + d,
                                      at.h * factors.axis[1].value() + h,
                                      at.w * factors.axis[2].value() + w),
                    values);
          for (int lane = 0; lane < N; ++lane) {
            sum[lane] += values[lane];
          }
        }
      }
    }
    store_pack(dx + item * N, sum);
  }
};

template <typename Launcher>
void run_upsample(Launcher& launcher, const UpsampleArgs& args, bool backward) {
  const Planes& planes = args.planes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    DLBENCH_CHECK(planes.y[axis] % planes.x[axis] == 0)
        << planes.x[axis] << " to " << planes.y[axis];
  }
  visit_packs(
      args.dtype,
      planes.stride,
      [&](auto type, auto width) {
        using T = decltype(type);
        constexpr int kN = decltype(width)::value;
        const Resampling sides(planes, kN);
        const auto* from = static_cast<const T*>(args.from);
        auto* to = static_cast<T*>(args.to);
        if (backward) {
          for_each(launcher,
                   planes.batch * volume(planes.x) * sides.packs.value(),
                   UpsampleBackwardPack<T, kN>{from, to, sides, Factors(planes)});
        } else {
          for_each(launcher,
                   planes.batch * volume(planes.y) * sides.packs.value(),
                   UpsamplePack<T, kN>{from, to, sides, Factors(planes)});
        }
      },
      args.from,
      args.to);
}

}  // namespace dlbench::backend::cuda
