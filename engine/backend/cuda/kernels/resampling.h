// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Shared by max pooling and upsampling: the positions of packs in two tensors of different extents.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"

#include <array>
#include <type_traits>

namespace dlbench::backend::cuda {

/// Coordinates, windows and the positions of one sample fit 31 bits; with 64 bits the loops over
/// windows would need twice the registers.
using Coordinate = ShortIndex;

[[nodiscard]] inline Index volume(const std::array<Index, 3>& extents) {
  return extents[0] * extents[1] * extents[2];
}

/// The extents (D, H, W) of one side.
struct Extents {
  Divisor depth;
  Divisor height;
  Divisor width;
  Coordinate positions;  ///< per sample
  Coordinate stride;     ///< between successive positions

  Extents(const std::array<Index, 3>& e, Index elements)
      : depth(e[0]),
        height(e[1]),
        width(e[2]),
        positions(to_short(volume(e))),
        stride(to_short(elements)) {}
};

/// The coordinates of an item of a tensor. I: the type that counts items.
template <typename I>
struct Place {
  I sample;
  Coordinate d;
  Coordinate h;
  Coordinate w;
  Coordinate pack;
};
template <typename I>
[[nodiscard]] DLBENCH_HOST_DEVICE Place<I> place_of(I item,
                                                    const Divisor& packs,
                                                    const Extents& extents) {
  I pack = 0;
  I d = 0;
  I h = 0;
  I w = 0;
  const I position = packs.split(item, pack);
  const I row = extents.width.split(position, w);
  const I plane = extents.height.split(row, h);
  const I sample = extents.depth.split(plane, d);
  return {sample,
          static_cast<Coordinate>(d),
          static_cast<Coordinate>(h),
          static_cast<Coordinate>(w),
          static_cast<Coordinate>(pack)};
}

/// One pack of channels of all positions of one sample.
struct Slab {
  Index first;  ///< element of position (0, 0, 0)
  Coordinate height;
  Coordinate width;
  Coordinate stride;

  [[nodiscard]] DLBENCH_HOST_DEVICE Index offset(Coordinate d, Coordinate h, Coordinate w) const {
    return first + Index{(d * height + h) * width + w} * stride;
  }
};

/// Both sides of a pooling or an upsampling.
struct Resampling {
  Extents x;
  Extents y;
  Divisor packs;  ///< of a position
  Coordinate pack_width;

  Resampling(const Planes& planes, int width)
      : x(planes.x, planes.x_stride),
        y(planes.y, planes.y_stride),
        packs(planes.x_stride / width),
        pack_width(width) {}
  template <typename I>
  [[nodiscard]] DLBENCH_HOST_DEVICE Slab slab(const Extents& side, const Place<I>& at) const {
    return {Index{at.sample} * side.positions * side.stride + Index{at.pack} * pack_width,
            static_cast<Coordinate>(side.height.value()),
            static_cast<Coordinate>(side.width.value()),
            side.stride};
  }
};

/// Reads windows of kDepth x 2 x 2. All taps are read before the first is used: memory needs many
/// loads in flight, and a selection by value between two loads would delay the second.
template <int kDepth, int N, typename T>
DLBENCH_HOST_DEVICE void read_window(const T* from,
                                     const Slab& slab,
                                     Coordinate d,
                                     Coordinate h,
                                     Coordinate w,
                                     Pack<T, N> (&taps)[4 * kDepth]) {
  for (int tap = 0; tap < 4 * kDepth; ++tap) {
    taps[tap] = read_pack<N>(from + slab.offset(d + tap / 4, h + tap / 2 % 2, w + tap % 2));
  }
}

/// Calls visit(depth) with a constant: 1 or 2 for wide packs and windows of 1 x 2 x 2 or 2 x 2 x 2,
/// which all workloads use, otherwise 0.
template <int N, typename Visitor>
void visit_window(const std::array<Index, 3>& extents, const Visitor& visit) {
  if constexpr (N > 1) {
    if (extents == std::array<Index, 3>{1, 2, 2}) {
      return visit(std::integral_constant<int, 1>{});
    }
    if (extents == std::array<Index, 3>{2, 2, 2}) {
      return visit(std::integral_constant<int, 2>{});
    }
  }
  visit(std::integral_constant<int, 0>{});
}

}  // namespace dlbench::backend::cuda
