// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Max pooling and nearest upsampling: an item is one pack of channels of one position.
#pragma once

#include "engine/backend/cuda/kernels/channels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dlbench::backend::cuda {

/// Coordinates and windows fit 32 bits, as do the positions of one sample; with 64 bits the loops
/// over windows need twice the registers.
using Coordinate = std::int32_t;

/// The extents (D, H, W) of one side.
struct Extents {
  Divisor depth;
  Divisor height;
  Divisor width;

  explicit Extents(const std::array<Index, 3>& e) : depth(e[0]), height(e[1]), width(e[2]) {}
  [[nodiscard]] DLBENCH_HOST_DEVICE Index volume() const {
    return depth.value() * height.value() * width.value();
  }
};

/// Where an item of a tensor stands.
struct Place {
  Index sample;
  Coordinate d;
  Coordinate h;
  Coordinate w;
  Index pack;
};
[[nodiscard]] DLBENCH_HOST_DEVICE Place place_of(Index item,
                                                 const Divisor& packs,
                                                 const Extents& extents) {
  Place place{};
  Index d = 0;
  Index h = 0;
  Index w = 0;
  const Index position = packs.split(item, place.pack);
  const Index row = extents.width.split(position, w);
  const Index plane = extents.height.split(row, h);
  place.sample = extents.depth.split(plane, d);
  place.d = static_cast<Coordinate>(d);
  place.h = static_cast<Coordinate>(h);
  place.w = static_cast<Coordinate>(w);
  return place;
}

/// One pack of channels of all positions of one sample.
struct Slab {
  Index first;  ///< element of position (0, 0, 0)
  Coordinate height;
  Coordinate width;
  Index stride;

  [[nodiscard]] DLBENCH_HOST_DEVICE Index offset(Coordinate d, Coordinate h, Coordinate w) const {
    return first + Index{(d * height + h) * width + w} * stride;
  }
};

[[nodiscard]] inline Index volume(const std::array<Index, 3>& extents) {
  return extents[0] * extents[1] * extents[2];
}

/// Both sides of a pooling or an upsampling.
struct Resampling {
  Extents x;
  Extents y;
  Divisor packs;  ///< of a position
  Index stride;
  Index pack_width;

  Resampling(const Planes& planes, int width)
      : x(planes.x),
        y(planes.y),
        packs(planes.stride / width),
        stride(planes.stride),
        pack_width(width) {
    DLBENCH_CHECK(std::max(volume(planes.x), volume(planes.y)) < Index{1} << 31)
        << "a plane of more than 2^31 positions";
  }
  [[nodiscard]] DLBENCH_HOST_DEVICE Slab slab(const Extents& side, const Place& at) const {
    return {at.sample * side.volume() * stride + at.pack * pack_width,
            static_cast<Coordinate>(side.height.value()),
            static_cast<Coordinate>(side.width.value()),
            stride};
  }
};

/// Kernel extents and steps of a pooling window.
struct PoolSteps {
  Coordinate kernel[3];
  Coordinate step[3];
  Divisor by_step[3];
  explicit PoolSteps(const MaxPoolArgs& args) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      kernel[axis] = static_cast<Coordinate>(args.kernel[axis]);
      step[axis] = static_cast<Coordinate>(args.step[axis]);
      by_step[axis] = Divisor(args.step[axis]);
    }
  }
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
    const Slab from = sides.slab(sides.x, at);
    float best[N] = {};
    Pack<std::uint8_t, N> taps = {};
    int tap = 0;
    for (Coordinate kd = 0; kd < window.kernel[0]; ++kd) {
      for (Coordinate kh = 0; kh < window.kernel[1]; ++kh) {
        for (Coordinate kw = 0; kw < window.kernel[2]; ++kw) {
          float values[N];
          load_pack(x + from.offset(at.d * window.step[0] + kd,
                                    at.h * window.step[1] + kh,
                                    at.w * window.step[2] + kw),
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
    store_pack(y + item * N, best);
    write_pack(argmax + item * N, taps);
  }
};

/// Along one axis: the outputs whose windows reach an input.
struct Reach {
  Coordinate begin;
  Coordinate end;
};
[[nodiscard]] DLBENCH_HOST_DEVICE Reach reach_of(Coordinate input,
                                                 const PoolSteps& window,
                                                 int axis,
                                                 const Divisor& outputs) {
  const Coordinate first = input - window.kernel[axis] + window.step[axis];
  const auto last = static_cast<Coordinate>(window.by_step[axis].divide(input)) + 1;
  const auto count = static_cast<Coordinate>(outputs.value());
  return {first < 0 ? 0 : static_cast<Coordinate>(window.by_step[axis].divide(first)),
          last < count ? last : count};
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
    const Slab from = sides.slab(sides.y, at);
    const Reach depth = reach_of(at.d, window, 0, sides.y.depth);
    const Reach height = reach_of(at.h, window, 1, sides.y.height);
    const Reach width = reach_of(at.w, window, 2, sides.y.width);
    float sum[N] = {};
    for (Coordinate d = depth.begin; d < depth.end; ++d) {
      for (Coordinate h = height.begin; h < height.end; ++h) {
        for (Coordinate w = width.begin; w < width.end; ++w) {
          // The gradient goes to the lanes whose maximum is here.
          const Coordinate kd = at.d - d * window.step[0];
          const Coordinate kh = at.h - h * window.step[1];
          const Coordinate kw = at.w - w * window.step[2];
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
    store_pack(dx + item * N, sum);
  }
};

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
  Coordinate axis[3];
  Divisor by_axis[3];
  explicit Factors(const Planes& planes) {
    for (std::size_t i = 0; i < 3; ++i) {
      axis[i] = static_cast<Coordinate>(planes.y[i] / planes.x[i]);
      by_axis[i] = Divisor(axis[i]);
    }
  }
  /// Where along an axis the input of an output stands.
  [[nodiscard]] DLBENCH_HOST_DEVICE Coordinate input_of(Coordinate output, int i) const {
    return static_cast<Coordinate>(by_axis[i].divide(output));
  }
};

template <typename T, int N>
struct UpsamplePack {
  const T* x;
  T* y;
  Resampling sides;
  Factors factors;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    const Place at = place_of(item, sides.packs, sides.y);
    const Index from =
        sides.slab(sides.x, at)
            .offset(at.d / factors.axis[0], at.h / factors.axis[1], at.w / factors.axis[2]);
    write_pack(y + item * N, read_pack<N>(x + from));
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
