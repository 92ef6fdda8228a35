// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How a tensor is divided among the threads of a launch. A thread runs a body, a trivially copyable
// struct called with the thread's position; a launcher runs it for all positions: on the device
// (device_launcher.cuh), or in a host loop, with which indexing is tested without a GPU.
#pragma once

#include "engine/backend/cuda/kernels/channels_last.h"
#include "engine/core/check.h"
#include "engine/core/host_device.h"
#include "engine/core/round_up.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace dlbench::backend::cuda {

/// One thread of a one-dimensional launch.
struct Position {
  std::uint32_t block;
  std::uint32_t thread;
  std::uint32_t blocks;
  std::uint32_t threads;
};

/// The largest number of threads of a block in any launch.
inline constexpr std::uint32_t kThreads = 256;

/// The number of threads that a multiprocessor of any architecture can hold at once: that of
/// compute capability 7.5; newer ones hold 1536 or 2048 (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability").
inline constexpr std::uint32_t kResidentThreads = 1024;

/// The number of blocks for which the registers of one multiprocessor must suffice, which a part of
/// a body declares as kBlocks. 0: left to the compiler, which may spill for more blocks or take all
/// registers for two.
template <typename Part>
[[nodiscard]] constexpr int blocks_of() {
  if constexpr (requires { Part::kBlocks; }) {
    static_assert(Part::kBlocks * kThreads <= kResidentThreads, "ptxas refuses more");
    return Part::kBlocks;
  } else {
    return 0;
  }
}

using core::ceil_divide;

/// Numbers below 2^31, whose arithmetic takes a third of the instructions of that of Index:
/// extents, coordinates, and counts of packs of all but the largest tensors.
using ShortIndex = std::int32_t;

[[nodiscard]] constexpr bool fits_short(Index number) { return number < Index{1} << 31; }

/// Throws core::CheckFailure if the number does not fit.
[[nodiscard]] inline ShortIndex to_short(Index number) {
  DLBENCH_CHECK(number >= 0 && fits_short(number)) << number << " in 31 bits";
  return static_cast<ShortIndex>(number);
}

/// Counts packs of N elements. A launch over wide packs requires fits_short(), otherwise it uses
/// single elements: this covers both index widths without doubling the number of kernels.
template <int N>
using PackIndex = std::conditional_t<N == 1, Index, ShortIndex>;

/// Divides a number below 2^63 by one known at launch, with a multiplication and a shift (Warren,
/// Hacker's Delight, 2nd ed., section 10-9; Granlund, Montgomery 1994): with 2^s the smallest power
/// of two >= d and m = floor(2^w (2^s - d) / d) + 1, n / d = (floor(m n / 2^w) + n) / 2^s for n <
/// 2^w.
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(Index divisor) : divisor_(static_cast<std::uint64_t>(divisor)) {
    DLBENCH_CHECK(divisor > 0 && fits_short(divisor)) << "divisor " << divisor;
    while ((std::uint64_t{1} << shift_) < divisor_) {
      ++shift_;
    }
    // By long division in base 2^32; each remainder is below 2^31.
    const std::uint64_t rest = (std::uint64_t{1} << shift_) - divisor_;
    const std::uint64_t high = (rest << 32U) / divisor_;
    const std::uint64_t low = (((rest << 32U) % divisor_) << 32U) / divisor_;
    narrow_ = static_cast<std::uint32_t>(high + 1);
    wide_ = (high << 32U) + low + 1;
  }

  [[nodiscard]] DLBENCH_HOST_DEVICE Index divide(Index numerator) const {
    const auto n = static_cast<std::uint64_t>(numerator);
    return static_cast<Index>((multiply_high(n, wide_) + n) >> shift_);
  }
  [[nodiscard]] DLBENCH_HOST_DEVICE ShortIndex divide(ShortIndex numerator) const {
    // The product's upper half is below n, and n below 2^31: the sum fits.
    const auto n = static_cast<std::uint32_t>(numerator);
    return static_cast<ShortIndex>((multiply_high(n, narrow_) + n) >> shift_);
  }
  [[nodiscard]] DLBENCH_HOST_DEVICE Index value() const { return static_cast<Index>(divisor_); }
  /// Splits `number` into quotient (returned) and remainder. I: Index or ShortIndex.
  template <typename I>
  DLBENCH_HOST_DEVICE I split(I number, I& remainder) const {
    const I quotient = divide(number);
    remainder = number - quotient * static_cast<I>(divisor_);
    return quotient;
  }

 private:
  [[nodiscard]] static DLBENCH_HOST_DEVICE std::uint64_t multiply_high(std::uint64_t a,
                                                                       std::uint64_t b) {
#if defined(__CUDA_ARCH__)
    return __umul64hi(a, b);
#else
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{a} * b) >> 64U);
#endif
  }
  [[nodiscard]] static DLBENCH_HOST_DEVICE std::uint32_t multiply_high(std::uint32_t a,
                                                                       std::uint32_t b) {
    return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32U);
  }

  std::uint64_t divisor_ = 1;
  std::uint64_t wide_ = 1;    ///< m for w = 64
  std::uint32_t narrow_ = 1;  ///< m for w = 32
  std::uint32_t shift_ = 0;
};

/// As Divisor, for any divisor but slower: for tensors of 2^31 or more elements.
class WideDivisor {
 public:
  explicit WideDivisor(Index divisor) : divisor_(divisor) {
    DLBENCH_CHECK(divisor > 0) << "divisor " << divisor;
  }
  [[nodiscard]] DLBENCH_HOST_DEVICE Index value() const { return divisor_; }
  [[nodiscard]] DLBENCH_HOST_DEVICE Index split(Index number, Index& remainder) const {
    const Index quotient = number / divisor_;
    remainder = number - quotient * divisor_;
    return quotient;
  }

 private:
  Index divisor_;
};

/// The divisor type for numbers of type I.
template <typename I>
using DivisorOf = std::conditional_t<std::is_same_v<I, ShortIndex>, Divisor, WideDivisor>;

/// Calls item(i) for the thread's index i in the launch, if i < `items`. I: Index or ShortIndex.
template <typename Item, typename I>
struct EachItem {
  static constexpr int kBlocks = blocks_of<Item>();
  Item item;
  I items;

  DLBENCH_HOST_DEVICE void operator()(const Position& p) const {
    // Unsigned, since the last block may go past 2^31.
    using Counter = std::make_unsigned_t<I>;
    const Counter i = Counter{p.block} * p.threads + p.thread;
    if (i < static_cast<Counter>(items)) {
      item(static_cast<I>(i));
    }
  }
};

/// Launches `item` over [0, items), counted by I: one item per thread, neighbouring threads on
/// neighbouring items. A copy done this way reached 0.99 of an H200's copy bandwidth, but 0.90 as a
/// loop with as many blocks as the device holds; presumably because blocks that start in order,
/// each when an earlier one is done, keep simultaneous reads and writes closer together.
template <typename I = Index, typename Launcher, typename Item>
void for_each(Launcher& launcher, Index items, const Item& item) {
  if (items == 0) {
    return;
  }
  DLBENCH_CHECK(items <= std::numeric_limits<I>::max()) << items << " items";
  launcher.map(EachItem<Item, I>{item, static_cast<I>(items)},
               static_cast<std::uint32_t>(to_short(ceil_divide<Index>(items, kThreads))),
               kThreads);
}

/// Rows of `stride` elements (the channels of one position each), divided so that a thread keeps
/// its column of `width` neighbouring elements and walks down the rows: what depends on the channel
/// is loaded once. A block has `lanes` columns by `height` rows and handles one chunk of the rows
/// of one group. Everything except `groups` and the rows depends only on the shape, so the order of
/// a sum is the same on every GPU.
struct Columns {
  Index groups = 1;  ///< ranges of rows with separate results: samples, or one for all
  Index rows = 0;    ///< of one group
  Index stride = 0;
  std::uint32_t width = 1;
  std::uint32_t tiles = 1;   ///< blocks side by side
  std::uint32_t lanes = 1;   ///< threads side by side in a block
  std::uint32_t height = 1;  ///< rows of threads in a block
  std::uint32_t chunks = 1;  ///< blocks down the rows of a group
  Index chunk_rows = 0;
  Divisor by_tiles;
  Divisor by_lanes;
  Divisor by_chunks;

  /// At least `rows_per_thread` rows per thread, and at most `max_blocks` blocks unless even one
  /// chunk per group needs more.
  Columns(Index group_count,
          Index row_count,
          Index row_stride,
          int pack,
          Index rows_per_thread,
          Index max_blocks)
      : groups(group_count),
        rows(row_count),
        stride(row_stride),
        width(static_cast<std::uint32_t>(pack)) {
    constexpr Index kMaxLanes = 64;
    DLBENCH_CHECK(stride > 0 && stride % pack == 0)
        << "rows of " << stride << " in packs of " << pack;
    const Index packs = stride / pack;
    tiles = static_cast<std::uint32_t>(ceil_divide(packs, kMaxLanes));
    lanes = static_cast<std::uint32_t>(ceil_divide<Index>(packs, tiles));
    height = kThreads / lanes;
    const Index most = std::max<Index>(1, max_blocks / (groups * tiles));
    const Index wanted = ceil_divide<Index>(std::max<Index>(rows, 1), height * rows_per_thread);
    chunk_rows = ceil_divide(std::max<Index>(rows, 1), std::clamp<Index>(wanted, 1, most));
    chunks = static_cast<std::uint32_t>(ceil_divide(std::max<Index>(rows, 1), chunk_rows));
    by_tiles = Divisor(tiles);
    by_lanes = Divisor(lanes);
    by_chunks = Divisor(chunks);
  }

  [[nodiscard]] std::uint32_t threads() const { return lanes * height; }
  [[nodiscard]] std::uint32_t blocks() const {
    return static_cast<std::uint32_t>(groups) * chunks * tiles;
  }

  /// The share of one thread: elements [column, column + width) of rows first, first + height, ...
  /// below end, counted over all groups.
  struct Share {
    Index group;
    Index chunk;
    Index column;  ///< >= stride: nothing to do
    Index first;
    Index end;
  };
  [[nodiscard]] DLBENCH_HOST_DEVICE Share share(const Position& p) const {
    ShortIndex tile = 0;
    ShortIndex chunk = 0;
    ShortIndex lane = 0;
    const Index group =
        by_chunks.split(by_tiles.split(static_cast<ShortIndex>(p.block), tile), chunk);
    const Index row = by_lanes.split(static_cast<ShortIndex>(p.thread), lane);
    const Index begin = chunk * chunk_rows;
    const Index end = begin + chunk_rows < rows ? begin + chunk_rows : rows;
    return {group,
            chunk,
            (Index{tile} * lanes + lane) * width,
            group * rows + begin + row,
            group * rows + end};
  }
};

/// Calls op.finish(constants, op.load(offset), offset) for the pack at `offset` of every row of a
/// thread's column; constants = op.prepare(group, column) are loaded once. Two rows are loaded
/// before the first is finished: as far as the compiler knows a store may alias the next load, and
/// memory needs many loads in flight. Blocks go from the last rows to the first: the kernel that
/// wrote or summed the tensor before went forward, so its end is in the cache; and a later reader
/// begins with what was written last.
template <typename Op>
struct WalkColumns {
  static constexpr int kBlocks = blocks_of<Op>();
  Columns columns;
  Op op;

  DLBENCH_HOST_DEVICE void operator()(const Position& p) const {
    Position from_the_end = p;
    from_the_end.block = p.blocks - 1 - p.block;
    const Columns::Share share = columns.share(from_the_end);
    if (share.column >= columns.stride) {
      return;
    }
    const auto constants = op.prepare(share.group, share.column);
    const Index step = columns.height * columns.stride;
    const Index end = share.end * columns.stride;
    Index offset = share.first * columns.stride + share.column;
    for (; offset + step < end; offset += 2 * step) {
      const auto first = op.load(offset);
      const auto second = op.load(offset + step);
      op.finish(constants, first, offset);
      op.finish(constants, second, offset + step);
    }
    if (offset < end) {
      op.finish(constants, op.load(offset), offset);
    }
  }
};

/// Launches `op` over all rows of all groups.
template <typename Launcher, typename Op>
void walk_columns(
    Launcher& launcher, Index groups, Index rows, Index stride, int width, const Op& op) {
  if (groups * rows == 0) {
    return;
  }
  // More rows per thread amortise loading the constants, of which a wide 16-bit pack has twice as
  // many as an f32 one. But they cost bandwidth, as loops do in for_each: batch norm reached 0.89
  // (16 bits) and 0.91 (f32) of an H200's copy bandwidth with 16 rows, 0.91 and 0.96 with these.
  // And small tensors need as many blocks as possible to keep a large GPU busy.
  constexpr Index kWantedBlocks = 1024;
  const Columns one_row(groups, rows, stride, width, 1, Index{1} << 30);
  const Index rows_per_thread =
      std::clamp<Index>(one_row.blocks() / kWantedBlocks, 2, std::max(2, width / 2));
  const Columns columns(groups, rows, stride, width, rows_per_thread, Index{1} << 30);
  launcher.map(WalkColumns<Op>{columns, op}, columns.blocks(), columns.threads());
}

}  // namespace dlbench::backend::cuda
