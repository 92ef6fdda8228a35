// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves elements between channels and layouts without changing their bits.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/transpose.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>

namespace dlbench::backend::cuda {

/// An item is N lanes of a position of y: the first `lead` lanes are zero, then channels are
/// copied, and lanes after the last channel are zero.
template <typename T, int N>
struct CopyChannelsPack {
  const T* x;
  T* y;
  ShortIndex x_stride;
  ShortIndex y_stride;
  ShortIndex lead;
  ShortIndex count;
  Divisor packs;  ///< per position, zeros included

  DLBENCH_HOST_DEVICE void operator()(PackIndex<N> item) const {
    PackIndex<N> pack = 0;
    const PackIndex<N> position = packs.split(item, pack);
    const ShortIndex lane_of_y = static_cast<ShortIndex>(pack) * N;
    const ShortIndex channel = lane_of_y - lead;
    const T* from = x + Index{position} * x_stride;
    Pack<T, N> values = {};
    if (channel >= 0 && channel + N <= count) {
      values = read_pack<N>(from + channel);
    } else {
      for (int lane = 0; lane < N; ++lane) {
        if (channel + lane >= 0 && channel + lane < count) {
          values.lane[lane] = from[channel + lane];
        }
      }
    }
    write_pack(y + Index{position} * y_stride + lane_of_y, values);
  }
};

struct LaneRange {
  Index begin;
  Index end;
};

inline LaneRange written_lanes(const CopyChannelsArgs& args) {
  return {args.clear_before ? 0 : args.y_begin,
          args.clear_rest ? args.y_stride : args.y_begin + args.count};
}

template <typename T, int N, typename Launcher>
void run_copy_packs(Launcher& launcher, const CopyChannelsArgs& args) {
  const auto [begin, end] = written_lanes(args);
  const Index packs = (end - begin) / N;
  if (packs == 0) {
    return;
  }
  for_each<PackIndex<N>>(launcher,
                         args.positions * packs,
                         CopyChannelsPack<T, N>{static_cast<const T*>(args.x) + args.x_begin,
                                                static_cast<T*>(args.y) + begin,
                                                to_short(args.x_stride),
                                                to_short(args.y_stride),
                                                to_short(args.y_begin - begin),
                                                to_short(args.count),
                                                Divisor(packs)});
}

/// Calls `visitor` with an unsigned integer of the element's size, since only bits are copied.
template <typename Visitor>
void visit_bits(core::DType dtype, const Visitor& visitor) {
  switch (dtype) {
    case core::DType::kU8:
      return visitor(std::uint8_t{});
    case core::DType::kF16:
    case core::DType::kBF16:
      return visitor(std::uint16_t{});
    case core::DType::kF32:
      return visitor(std::uint32_t{});
    case core::DType::kF64:
      return visitor(std::uint64_t{});
    default:
      DLBENCH_CHECK(false) << "elements of dtype " << core::name(dtype);
  }
}

template <typename Launcher>
void run_copy_channels(Launcher& launcher, const CopyChannelsArgs& args) {
  visit_bits(args.dtype, [&](auto type) {
    using T = decltype(type);
    constexpr Index kN = kWide<T>;
    const auto [begin, end] = written_lanes(args);
    const bool wide = args.x_stride % kN == 0 && args.x_begin % kN == 0 &&
                      args.y_stride % kN == 0 && args.y_begin % kN == 0 && end % kN == 0 &&
                      fits_short(args.positions * ((end - begin) / kN)) && aligned(args.x, args.y);
    wide ? run_copy_packs<T, kWide<T>>(launcher, args) : run_copy_packs<T, 1>(launcher, args);
  });
}

/// An item is one element of y: neighbouring threads write neighbouring elements and gather from x.
/// I: ShortIndex if both tensors have fewer than 2^31 elements.
template <typename T, typename I>
struct ReshapeElement {
  const T* x;
  T* y;
  DivisorOf<I> y_stride;
  DivisorOf<I> y_spatial;
  I y_channels;
  DivisorOf<I> x_sample;  ///< logical elements per sample of x
  DivisorOf<I> x_spatial;
  I x_stride;

  DLBENCH_HOST_DEVICE void operator()(I item) const {
    I channel = 0;
    const I position = y_stride.split(item, channel);
    if (channel >= y_channels) {
      y[item] = 0;
      return;
    }
    I place = 0;
    const I sample = y_spatial.split(position, place);
    const I logical = (sample * y_channels + channel) * static_cast<I>(y_spatial.value()) + place;
    I in_sample = 0;
    const I x_batch = x_sample.split(logical, in_sample);
    I x_place = 0;
    const I x_channel = x_spatial.split(in_sample, x_place);
    y[item] = x[(x_batch * static_cast<I>(x_spatial.value()) + x_place) * x_stride + x_channel];
  }
};

template <typename T, typename I, typename Launcher>
void run_reshape_elements(Launcher& launcher, const ReshapeArgs& args) {
  const ChannelsLast& from = args.x_layout;
  const ChannelsLast& to = args.y_layout;
  for_each<I>(launcher,
              to.elements(),
              ReshapeElement<T, I>{static_cast<const T*>(args.x),
                                   static_cast<T*>(args.y),
                                   DivisorOf<I>(to.stride),
                                   DivisorOf<I>(to.spatial),
                                   static_cast<I>(to.channels),
                                   DivisorOf<I>(from.channels * from.spatial),
                                   DivisorOf<I>(from.spatial),
                                   static_cast<I>(from.stride)});
}

/// Whether elements are stored in logical order without gaps.
[[nodiscard]] inline bool row_major_order(const ChannelsLast& layout) {
  return layout.stride == layout.channels && (layout.channels == 1 || layout.spatial == 1);
}

/// The reshape as a transposition between matrices (spatial, channels) on one side and contiguous
/// matrices (channels, spatial) on the other; nullopt if it is none, or if a line is shorter than a
/// sector of 32 bytes.
[[nodiscard]] inline std::optional<TransposeShape> transposition(const ReshapeArgs& args) {
  const bool flatten = row_major_order(args.y_layout);
  const ChannelsLast& last = flatten ? args.x_layout : args.y_layout;
  const Index sample = last.channels * last.spatial;
  const Index sector = 32 / static_cast<Index>(core::size_of(args.dtype));
  if (flatten == row_major_order(args.x_layout) || std::min(last.channels, last.spatial) < sector ||
      !fits_short(std::max(last.spatial, last.stride)) ||
      !fits_short(last.batch * ceil_divide(last.spatial, sector) *
                  ceil_divide(last.stride, sector))) {
    return std::nullopt;
  }
  const auto channels = to_short(last.channels);
  const auto spatial = to_short(last.spatial);
  const auto stride = to_short(last.stride);
  if (flatten) {
    return TransposeShape{last.batch,
                          spatial,
                          channels,
                          spatial,
                          stride,
                          spatial,
                          last.spatial * last.stride,
                          sample};
  }
  return TransposeShape{
      last.batch, channels, spatial, stride, spatial, stride, sample, last.spatial * last.stride};
}

template <typename Launcher>
void run_reshape(Launcher& launcher, const ReshapeArgs& args) {
  const ChannelsLast& from = args.x_layout;
  const ChannelsLast& to = args.y_layout;
  DLBENCH_CHECK(from.positions() * from.channels == to.positions() * to.channels)
      << from.positions() * from.channels << " elements to " << to.positions() * to.channels;
  const Index elements = to.elements();
  if (elements == 0) {
    return;
  }
  const bool fits = fits_short(elements) && fits_short(from.elements());
  if (fits && row_major_order(from) && row_major_order(to)) {
    return run_copy_channels(launcher,
                             {.x = args.x,
                              .x_stride = elements,
                              .y = args.y,
                              .y_stride = elements,
                              .count = elements,
                              .positions = 1,
                              .dtype = args.dtype});
  }
  visit_bits(args.dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {  // sizes of activations
      if (const auto shape = transposition(args); shape.has_value()) {
        return run_transpose(
            launcher, *shape, static_cast<const T*>(args.x), static_cast<T*>(args.y));
      }
    }
    fits ? run_reshape_elements<T, ShortIndex>(launcher, args)
         : run_reshape_elements<T, Index>(launcher, args);
  });
}

}  // namespace dlbench::backend::cuda
