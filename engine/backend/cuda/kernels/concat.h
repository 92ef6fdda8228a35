// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Concatenation along channels of parts that are copied, or upsampled while being copied.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/pooling.h"
#include "engine/backend/cuda/kernels/shape_ops.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

namespace dlbench::backend::cuda {

/// The parts in packs of 16 bytes, of any element type.
struct ConcatParts {
  using Bits = std::uint32_t;
  static constexpr int kN = kWide<Bits>;
  const Bits* x[kMaxConcatParts];
  ShortIndex stride[kMaxConcatParts];  ///< in packs, like all numbers here
  ShortIndex first[kMaxConcatParts];   ///< begin of a part in a position of y; max: no part
  std::uint32_t upsampled;             ///< one bit per part

  struct Chosen {
    const Bits* x;
    ShortIndex stride;
    ShortIndex pack;
    bool upsampled;

    [[nodiscard]] DLBENCH_HOST_DEVICE Pack<Bits, kN> read(ShortIndex position) const {
      return read_pack<kN>(x + (Index{position} * stride + pack) * kN);
    }
  };
  [[nodiscard]] DLBENCH_HOST_DEVICE Chosen at(ShortIndex pack) const {
    Chosen chosen{x[0], stride[0], pack, (upsampled & 1U) != 0};
    for (int part = 1; part < kMaxConcatParts; ++part) {
      if (pack >= first[part]) {  // selects, since indices into arguments must be constant
        chosen = {x[part], stride[part], pack - first[part], (upsampled >> part & 1U) != 0};
      }
    }
    return chosen;
  }
};

/// An item is one pack of y of a position in its first half, and one of a position in its second:
/// neighbouring threads write whole cache lines, which may contain several short parts.
struct ConcatPack {
  ConcatParts parts;
  ConcatParts::Bits* y;
  Divisor packs;  ///< of a position
  ShortIndex positions;
  ShortIndex half;  ///< half of the positions, rounded up

  DLBENCH_HOST_DEVICE void operator()(ShortIndex item) const {
    ShortIndex pack = 0;
    const ShortIndex position = packs.split(item, pack);
    const ConcatParts::Chosen part = parts.at(pack);
    const ShortIndex second = position + half;
    const auto value = part.read(position);
    Pack<ConcatParts::Bits, ConcatParts::kN> other = {};
    if (second < positions) {
      other = part.read(second);
    }
    write_pack(y + Index{item} * ConcatParts::kN, value);
    if (second < positions) {
      const auto stride = static_cast<ShortIndex>(packs.value());
      write_pack(y + (Index{second} * stride + pack) * ConcatParts::kN, other);
    }
  }
};

/// For parts of which some are upsampled by kDepth x 2 x 2. An item is one pack of y in all rows
/// that copy one row of the upsampled parts, so that whole cache lines are written here too, and an
/// upsampled part is read from memory only once: reads for further rows hit the cache.
template <int kDepth>
struct UpsampledConcatPack {
  static constexpr int kRows = 2 * kDepth;
  ConcatParts parts;
  ConcatParts::Bits* y;
  Divisor packs;         ///< per position
  Divisor width;         ///< of y
  Divisor small_height;  ///< of the upsampled parts

  DLBENCH_HOST_DEVICE void operator()(ShortIndex item) const {
    ShortIndex pack = 0;
    ShortIndex w = 0;
    const ShortIndex small_row = width.split(packs.split(item, pack), w);
    const auto across = static_cast<ShortIndex>(width.value());
    const auto down = static_cast<ShortIndex>(2 * small_height.value());
    ShortIndex row = 2 * small_row;
    if constexpr (kDepth == 2) {
      row += small_height.divide(small_row) * down;
    }
    const ConcatParts::Chosen part = parts.at(pack);
    const ShortIndex small = small_row * (across / 2) + w / 2;
    ShortIndex position[kRows];
    Pack<ConcatParts::Bits, ConcatParts::kN> values[kRows];
    for (int i = 0; i < kRows; ++i) {
      position[i] = (row + i / 2 * down + i % 2) * across + w;
      values[i] = part.read(part.upsampled ? small : position[i]);
    }
    const auto stride = static_cast<ShortIndex>(packs.value());
    for (int i = 0; i < kRows; ++i) {
      write_pack(y + (Index{position[i]} * stride + pack) * ConcatParts::kN, values[i]);
    }
  }
};

[[nodiscard]] inline bool is_upsampled(const ConcatArgs::Part& part) {
  return part.factors != std::array<Index, 3>{1, 1, 1};
}

/// Whether the concatenation can be computed by packs of y, in one launch.
[[nodiscard]] inline bool whole_packs(const ConcatArgs& args) {
  const Index width = 16 / static_cast<Index>(core::size_of(args.dtype));
  Index channels = 0;
  bool whole = args.parts.size() <= kMaxConcatParts && args.y_stride > 0 && aligned(args.y);
  const std::array<Index, 3>* factors = nullptr;
  for (const ConcatArgs::Part& part : args.parts) {
    whole = whole && part.channels % width == 0 && part.stride % width == 0 && aligned(part.x);
    channels += part.channels;
    if (is_upsampled(part)) {
      const auto [d, h, w] = part.factors;
      whole =
          whole && d <= 2 && h == 2 && w == 2 && (factors == nullptr || *factors == part.factors);
      factors = &part.factors;
    }
  }
  return whole && channels == args.y_stride && fits_short(args.positions() * (channels / width));
}

template <typename Launcher>
void run_concat_packs(Launcher& launcher, const ConcatArgs& args) {
  const Index width = 16 / static_cast<Index>(core::size_of(args.dtype));
  const Index packs = args.y_stride / width;
  ConcatParts parts{};
  std::fill(std::begin(parts.first), std::end(parts.first), std::numeric_limits<ShortIndex>::max());
  Index channels = 0;
  std::array<Index, 3> factors{1, 1, 1};
  for (std::size_t index = 0; index < args.parts.size(); ++index) {
    const ConcatArgs::Part& part = args.parts[index];
    parts.x[index] = static_cast<const ConcatParts::Bits*>(part.x);
    parts.stride[index] = to_short(part.stride / width);
    parts.first[index] = to_short(channels / width);
    if (is_upsampled(part)) {
      parts.upsampled |= 1U << index;
      factors = part.factors;
    }
    channels += part.channels;
  }
  auto* y = static_cast<ConcatParts::Bits*>(args.y);
  if (parts.upsampled == 0) {
    const Index half = ceil_divide<Index>(args.positions(), 2);
    return for_each<ShortIndex>(
        launcher,
        half * packs,
        ConcatPack{parts, y, Divisor(packs), to_short(args.positions()), to_short(half)});
  }
  const Index items = args.positions() / (factors[0] * 2) * packs;
  const Divisor across(args.extents[2]);
  const Divisor small_height(args.extents[1] / 2);
  if (factors[0] == 1) {
    for_each<ShortIndex>(
        launcher, items, UpsampledConcatPack<1>{parts, y, Divisor(packs), across, small_height});
  } else {
    for_each<ShortIndex>(
        launcher, items, UpsampledConcatPack<2>{parts, y, Divisor(packs), across, small_height});
  }
}

/// Copies a part to its lanes of y, and zeros after the last part.
template <typename Launcher>
void run_concat_part(Launcher& launcher, const ConcatArgs& args, std::size_t index, Index begin) {
  const ConcatArgs::Part& part = args.parts[index];
  const bool last = index + 1 == args.parts.size();
  if (!is_upsampled(part)) {
    return run_copy_channels(launcher,
                             {.x = part.x,
                              .x_stride = part.stride,
                              .y = args.y,
                              .y_stride = args.y_stride,
                              .y_begin = begin,
                              .count = part.channels,
                              .positions = args.positions(),
                              .dtype = args.dtype,
                              .clear_rest = last});
  }
  Planes planes{.batch = args.batch,
                .channels = part.channels,
                .x_stride = part.stride,
                .y_stride = args.y_stride,
                .y = args.extents};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    planes.x[axis] = args.extents[axis] / part.factors[axis];
  }
  run_upsample(launcher,
               {.from = part.x,
                .to = static_cast<std::byte*>(args.y) +
                      static_cast<std::size_t>(begin) * core::size_of(args.dtype),
                .dtype = args.dtype,
                .planes = planes},
               false);
}

template <typename Launcher>
void run_concat(Launcher& launcher, const ConcatArgs& args) {
  if (whole_packs(args)) {
    return run_concat_packs(launcher, args);
  }
  Index begin = 0;
  for (std::size_t index = 0; index < args.parts.size(); ++index) {
    run_concat_part(launcher, args, index, begin);
    begin += args.parts[index].channels;
  }
}

}  // namespace dlbench::backend::cuda
