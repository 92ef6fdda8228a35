// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Operands for convolutions that are tried, and single elements of their results by definition,
// with which plans of cuDNN are checked, outside of steps.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/reduce.h"
#include "engine/core/rng.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace dlbench::backend::cuda {

/// The number of values that one block of random numbers gives.
inline constexpr int kRandomRun = 4;

/// The value of an element of type T from its random bits, as described at RandomValuesArgs.
template <typename T>
[[nodiscard]] DLBENCH_HOST_DEVICE float random_value(std::uint32_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    return 2.0F * core::uniform_from_bits(bits) - 1.0F;
  } else {
    return static_cast<float>(static_cast<std::int32_t>(bits >> 24U) - 128) * 0x1p-7F;
  }
}

/// Computes elements run * kRandomRun to (run + 1) * kRandomRun.
template <typename T>
DLBENCH_HOST_DEVICE void random_values(std::uint32_t seed, Index run, float (&values)[kRandomRun]) {
  const auto counter = static_cast<std::uint64_t>(run);
  const std::array<std::uint32_t, 4> words = core::philox4x32(
      {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U), 0U, 0U},
      {seed, 0U});
  for (std::size_t i = 0; i < kRandomRun; ++i) {
    values[i] = random_value<T>(words[i]);
  }
}

template <typename T>
struct RandomRun {
  T* y;
  Index elements;
  std::uint32_t seed;

  DLBENCH_HOST_DEVICE void operator()(Index run) const {
    float values[kRandomRun];
    random_values<T>(seed, run, values);
    const Index left = elements - run * kRandomRun;
    if (left >= kRandomRun) {
      store_pack(y + run * kRandomRun, values);
    } else {
      store_some(y + run * kRandomRun, static_cast<int>(left), values);
    }
  }
};

/// `args.y` must be aligned to 16 bytes.
template <typename Launcher>
void run_random_values(Launcher& launcher, const RandomValuesArgs& args) {
  DLBENCH_CHECK(aligned(args.y));
  visit_activation(args.dtype, [&](auto type) {
    using T = decltype(type);
    for_each(launcher,
             ceil_divide<Index>(args.elements, kRandomRun),
             RandomRun<T>{static_cast<T*>(args.y), args.elements, args.seed});
  });
}

using ConvOffsets = std::array<Index, kMaxConvSamples>;

[[nodiscard]] inline ConvOffsets conv_offsets(const std::vector<Index>& offsets) {
  DLBENCH_CHECK(offsets.size() <= kMaxConvSamples) << offsets.size() << " samples";
  ConvOffsets all{};
  std::copy(offsets.begin(), offsets.end(), all.begin());
  return all;
}

/// One block per sample: its threads share the terms, and a tree adds their sums in an order that
/// depends only on shapes. Not optimised for speed: a problem is sampled once.
template <typename T>
struct ConvSampleSums {
  using Partial = Sums<double, 2, 1>;
  std::uint32_t lanes = 1;
  ConvDirection direction;
  Index group_channels;
  Index group_filters;
  Index groups;
  std::array<ConvAxis, 3> axes;
  const T* x;
  const T* w;
  const T* y;
  double* sums;
  // A term's number splits into a channel or filter of the group, a place, a sample of the batch.
  Index terms;
  Divisor by_inner;
  std::array<Divisor, 3> by_walked;  ///< extents of w; of y for a weight gradient
  std::array<Divisor, 3> by_stride;
  ConvOffsets offsets;

  /// An element of the result: its place, and the indices that it fixes in each product.
  struct Element {
    Index place[3];
    Index batch;
    Index group;
    Index filter;
    Index channel;  ///< within its group
  };
  [[nodiscard]] DLBENCH_HOST_DEVICE Element element(Index offset) const {
    const bool data = direction == ConvDirection::kBackwardData;
    const bool weights = direction == ConvDirection::kBackwardWeights;
    const Index lanes_of_result =
        weights ? group_channels : groups * (data ? group_channels : group_filters);
    Element at{};
    const Index lane = offset % lanes_of_result;
    offset /= lanes_of_result;
    for (int axis = 2; axis >= 0; --axis) {
      const Index extent = weights ? axes[axis].w : data ? axes[axis].x : axes[axis].y;
      at.place[axis] = offset % extent;
      offset /= extent;
    }
    if (weights) {
      at.group = offset / group_filters;
      at.filter = offset;
      at.channel = lane;
    } else if (data) {
      at.batch = offset;
      at.group = lane / group_channels;
      at.filter = at.group * group_filters;
      at.channel = lane % group_channels;
    } else {
      at.batch = offset;
      at.group = lane / group_filters;
      at.filter = lane;
    }
    return at;
  }

  /// The offsets of a product's factors; inside: whether the product exists (not in padding).
  struct Product {
    Index x = 0;
    Index w = 0;
    Index y = 0;
    bool inside = true;
  };
  /// Combines the places of x, w and y along all axes into one number each.
  [[nodiscard]] DLBENCH_HOST_DEVICE Product meet(const Element& at,
                                                 const Index (&walked)[3]) const {
    Product places;
    for (int axis = 0; axis < 3; ++axis) {
      const ConvAxis& a = axes[axis];
      Index in_x = at.place[axis];
      Index in_w = walked[axis];
      Index in_y = at.place[axis];
      if (direction == ConvDirection::kBackwardData) {
        const Index steps = in_x + a.pad - in_w * a.dilation;
        Index between = 0;
        in_y = by_stride[axis].split(steps > 0 ? steps : Index{0}, between);
        places.inside = places.inside && steps >= 0 && between == 0 && in_y < a.y;
      } else {
        if (direction == ConvDirection::kBackwardWeights) {
          in_w = at.place[axis];
          in_y = walked[axis];
        }
        in_x = in_y * a.stride + in_w * a.dilation - a.pad;
        places.inside = places.inside && in_x >= 0 && in_x < a.x;
      }
      places.x = places.x * a.x + in_x;
      places.w = places.w * a.w + in_w;
      places.y = places.y * a.y + in_y;
    }
    return places;
  }

  [[nodiscard]] DLBENCH_HOST_DEVICE Product product(const Element& at, Index term) const {
    Index inner = 0;
    Index walked[3];
    Index rest = by_inner.split(term, inner);
    for (int axis = 2; axis >= 0; --axis) {
      rest = by_walked[axis].split(rest, walked[axis]);
    }
    const Index batch = at.batch + rest;  // rest is 0 except for a weight gradient
    const Index filter = at.filter + (direction == ConvDirection::kBackwardData ? inner : Index{0});
    const Index channel = at.channel + (direction == ConvDirection::kForward ? inner : Index{0});
    Product places = meet(at, walked);
    places.x = ((batch * axes[0].x * axes[1].x * axes[2].x + places.x) * groups + at.group) *
                   group_channels +
               channel;
    places.w = (filter * axes[0].w * axes[1].w * axes[2].w + places.w) * group_channels + channel;
    places.y =
        (batch * axes[0].y * axes[1].y * axes[2].y + places.y) * groups * group_filters + filter;
    return places;
  }

  DLBENCH_HOST_DEVICE Partial gather(const Position& p) const {
    Partial partial;
    clear(partial);
    const Element at = element(offsets[p.block]);
    for (Index term = p.thread; term < terms; term += p.threads) {
      const Product factors = product(at, term);
      if (factors.inside) {
        const float a =
            to_float(direction == ConvDirection::kBackwardData ? y[factors.y] : x[factors.x]);
        const float b =
            to_float(direction == ConvDirection::kBackwardWeights ? y[factors.y] : w[factors.w]);
        const double value = static_cast<double>(a) * static_cast<double>(b);
        partial.sum[0][0] += value;
        partial.sum[1][0] += value * value;
      }
    }
    return partial;
  }
  static DLBENCH_HOST_DEVICE void merge(Partial& into, const Partial& from) { add_to(into, from); }
  DLBENCH_HOST_DEVICE void finish(const Position& p, const Partial& total) const {
    if (p.thread == 0) {
      sums[2 * Index{p.block}] = total.sum[0][0];
      sums[2 * Index{p.block} + 1] = total.sum[1][0];
    }
  }
};

/// The number of terms of an element of the result, including those in padding.
[[nodiscard]] inline Index conv_terms(const ConvSamplesArgs& args) {
  Index places = 1;
  for (const ConvAxis& axis : args.axes) {
    places *= args.direction == ConvDirection::kBackwardWeights ? axis.y : axis.w;
  }
  switch (args.direction) {
    case ConvDirection::kForward:
      return places * (args.channels / args.groups);
    case ConvDirection::kBackwardData:
      return places * (args.filters / args.groups);
    default:
      return places * args.batch;
  }
}

template <typename Launcher>
void run_conv_samples(Launcher& launcher, const ConvSamplesArgs& args) {
  if (args.offsets.empty()) {
    return;
  }
  const bool forward = args.direction == ConvDirection::kForward;
  const bool weights = args.direction == ConvDirection::kBackwardWeights;
  const Index group_channels = args.channels / args.groups;
  const Index group_filters = args.filters / args.groups;
  std::array<Divisor, 3> by_walked;
  std::array<Divisor, 3> by_stride;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    by_walked[axis] = Divisor(weights ? args.axes[axis].y : args.axes[axis].w);
    by_stride[axis] = Divisor(args.axes[axis].stride);
  }
  visit_activation(args.dtype, [&](auto type) {
    using T = decltype(type);
    const ConvSampleSums<T> body{.direction = args.direction,
                                 .group_channels = group_channels,
                                 .group_filters = group_filters,
                                 .groups = args.groups,
                                 .axes = args.axes,
                                 .x = static_cast<const T*>(args.x),
                                 .w = static_cast<const T*>(args.w),
                                 .y = static_cast<const T*>(args.y),
                                 .sums = args.sums,
                                 .terms = conv_terms(args),
                                 .by_inner = Divisor(weights   ? Index{1}
                                                     : forward ? group_channels
                                                               : group_filters),
                                 .by_walked = by_walked,
                                 .by_stride = by_stride,
                                 .offsets = conv_offsets(args.offsets)};
    launcher.reduce(body, static_cast<std::uint32_t>(args.offsets.size()), kThreads);
  });
}

template <typename T>
struct GatherItem {
  const T* x;
  double* y;
  ConvOffsets offsets;

  DLBENCH_HOST_DEVICE void operator()(Index i) const {
    y[i] = static_cast<double>(to_float(x[offsets[i]]));
  }
};

template <typename Launcher>
void run_gather(Launcher& launcher, const GatherArgs& args) {
  visit_activation(args.dtype, [&](auto type) {
    using T = decltype(type);
    for_each(launcher,
             static_cast<Index>(args.offsets.size()),
             GatherItem<T>{static_cast<const T*>(args.x), args.y, conv_offsets(args.offsets)});
  });
}

}  // namespace dlbench::backend::cuda
