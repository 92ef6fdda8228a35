// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Transposes matrices, one per sample, through shared memory: whole lines are read and written on
// either side.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dlbench::backend::cuda {

/// Matrices of x are (rows, columns), with lines `x_pitch` elements apart; those of y are (columns,
/// y_columns), where columns beyond the rows of x become zero.
struct TransposeShape {
  Index matrices;
  ShortIndex rows;
  ShortIndex columns;
  ShortIndex y_columns;
  ShortIndex x_pitch;
  ShortIndex y_pitch;
  Index x_matrix;  ///< distance between successive matrices, in elements
  Index y_matrix;
};

/// Square tiles whose lines have 128 bytes, as many per block as fit in 16 KiB: a thread then has
/// four packs or eight elements in flight. kIn, kOut: elements per access to x and to y, one or
/// those of 16 bytes.
template <typename T, int kIn, int kOut>
struct TransposeTiles {
  static constexpr int kBlocks =
      4;  ///< with fewer registers ptxas waits for a load before issuing others
  static constexpr std::uint32_t kSide = 128 / sizeof(T);
  static constexpr std::uint32_t kLines = 128;  ///< lines of all tiles of a block
  static constexpr std::uint32_t kTiles = kLines / kSide;
  struct Shared {
    alignas(16) T element[kLines * kSide];
  };

  const T* x;
  T* y;
  TransposeShape shape;
  Divisor down;    ///< tiles from the first row of a matrix to the last
  Divisor across;  ///< tiles from the first column of a matrix to the last
  ShortIndex tiles;

  DLBENCH_HOST_DEVICE void load(const Position& p, Shared& shared) const {
    DLBENCH_UNROLL(16)
    for (std::uint32_t first = 0; first < kPacks<kIn>; first += kAhead<kIn>) {
      PackBits<kIn> packs[kAhead<kIn>] = {};
      for (std::uint32_t a = 0; a < kAhead<kIn>; ++a) {
        const Spot spot = spot_of<kIn>(p, first + a);
        const Corner at = corner(p, spot.line / kSide);
        const ShortIndex row = at.row + static_cast<ShortIndex>(spot.line % kSide);
        const ShortIndex column = at.column + static_cast<ShortIndex>(spot.place);
        if (row < shape.rows && column < shape.columns) {
          packs[a] =
              read_bits<kIn>(x + at.matrix * shape.x_matrix + Index{row} * shape.x_pitch + column);
        }
      }
      for (std::uint32_t a = 0; a < kAhead<kIn>; ++a) {
        const Spot spot = spot_of<kIn>(p, first + a);
        write_bits<kIn>(shared.element + offset(spot.line, spot.place), packs[a]);
      }
    }
  }

  DLBENCH_HOST_DEVICE void store(const Position& p, const Shared& shared) const {
    DLBENCH_UNROLL(64)
    for (std::uint32_t i = 0; i < kPacks<kOut>; ++i) {
      const Spot spot = spot_of<kOut>(p, i);
      const std::uint32_t tile = spot.line / kSide;
      const Corner at = corner(p, tile);
      const ShortIndex row = at.row + static_cast<ShortIndex>(spot.place);
      const ShortIndex column = at.column + static_cast<ShortIndex>(spot.line % kSide);
      if (row < shape.y_columns && column < shape.columns) {
        Pack<T, kOut> pack;
        for (std::uint32_t lane = 0; lane < kOut; ++lane) {
          pack.lane[lane] =
              shared.element[offset(tile * kSide + spot.place + lane, spot.line % kSide)];
        }
        write_pack(y + at.matrix * shape.y_matrix + Index{column} * shape.y_pitch + row, pack);
      }
    }
  }

 private:
  /// The number of packs of a thread, and how many of them are in flight at once.
  template <int N>
  static constexpr std::uint32_t kPacks = kLines* kSide / N / kThreads;
  template <int N>
  static constexpr std::uint32_t kAhead = N == 1 ? 8 : 4;
  /// nvcc copies a struct of words as a whole, but one of 16-bit lanes in parts.
  template <int N>
  using PackBits = std::conditional_t<N == 1, Pack<T, 1>, Pack<std::uint32_t, 4>>;

  template <int N>
  [[nodiscard]] static DLBENCH_HOST_DEVICE PackBits<N> read_bits(const T* from) {
#if defined(__CUDA_ARCH__)
    return *reinterpret_cast<const PackBits<N>*>(from);
#else
    PackBits<N> bits;
    std::memcpy(&bits, from, sizeof(bits));
    return bits;
#endif
  }
  /// Writes to shared memory, which write_pack() does not support.
  template <int N>
  static DLBENCH_HOST_DEVICE void write_bits(T* to, const PackBits<N>& bits) {
#if defined(__CUDA_ARCH__)
    *reinterpret_cast<PackBits<N>*>(to) = bits;
#else
    std::memcpy(to, &bits, sizeof(bits));
#endif
  }

  /// The position of the i-th pack of a thread: neighbouring threads have neighbouring packs of a
  /// line.
  struct Spot {
    std::uint32_t line;   ///< counted over all tiles
    std::uint32_t place;  ///< in the line, in elements
  };
  template <int N>
  static DLBENCH_HOST_DEVICE Spot spot_of(const Position& p, std::uint32_t i) {
    const std::uint32_t pack = p.thread % kThreads + i * kThreads;
    return {pack / (kSide / N), pack % (kSide / N) * N};
  }

  /// The first element of a tile of the block. Tiles after the last one begin after all columns.
  struct Corner {
    Index matrix;
    ShortIndex row;
    ShortIndex column;
  };
  DLBENCH_HOST_DEVICE Corner corner(const Position& p, std::uint32_t of_block) const {
    const auto tile = static_cast<ShortIndex>(p.block * kTiles + of_block);
    ShortIndex column_tile = 0;
    ShortIndex row_tile = 0;
    const ShortIndex matrix = down.split(across.split(tile, column_tile), row_tile);
    constexpr auto kStep = static_cast<ShortIndex>(kSide);
    return {matrix, row_tile * kStep, tile < tiles ? column_tile * kStep : shape.columns};
  }

  /// The offset of an element in shared memory. The order of the 16-byte packs of a line depends on
  /// the line, so that threads that read down a column, kOut lines each, have no bank conflicts.
  static DLBENCH_HOST_DEVICE std::uint32_t offset(std::uint32_t line, std::uint32_t place) {
    constexpr std::uint32_t kWidth = kWide<T>;
    const std::uint32_t pack = (place / kWidth ^ line ^ line / 8) % 8;
    return line * kSide + pack * kWidth + place % kWidth;
  }
};

template <typename T, int kIn, int kOut, typename Launcher>
void run_transpose_tiles(Launcher& launcher, const TransposeShape& shape, const T* x, T* y) {
  using Body = TransposeTiles<T, kIn, kOut>;
  const Index down = ceil_divide<Index>(shape.y_columns, Index{Body::kSide});
  const Index across = ceil_divide<Index>(shape.columns, Index{Body::kSide});
  const Index tiles = shape.matrices * down * across;
  launcher.exchange(Body{x, y, shape, Divisor(down), Divisor(across), to_short(tiles)},
                    static_cast<std::uint32_t>(ceil_divide<Index>(tiles, Index{Body::kTiles})),
                    kThreads);
}

template <typename T, typename Launcher>
void run_transpose(Launcher& launcher, const TransposeShape& shape, const T* x, T* y) {
  const auto wide = [](const T* address, ShortIndex pitch, Index matrix) {
    return pitch % kWide<T> == 0 && matrix % kWide<T> == 0 && aligned(address);
  };
  const bool in = wide(x, shape.x_pitch, shape.x_matrix);
  const bool out = wide(y, shape.y_pitch, shape.y_matrix);
  if (in) {
    out ? run_transpose_tiles<T, kWide<T>, kWide<T>>(launcher, shape, x, y)
        : run_transpose_tiles<T, kWide<T>, 1>(launcher, shape, x, y);
  } else {
    out ? run_transpose_tiles<T, 1, kWide<T>>(launcher, shape, x, y)
        : run_transpose_tiles<T, 1, 1>(launcher, shape, x, y);
  }
}

}  // namespace dlbench::backend::cuda
