// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The two inner loops of the bilinear resizer, for each instruction set: from one source row to the
// destination width, and from two such rows to one destination row. All give the same numbers.
// resize.h has the tables and the loop over the rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dlbench::data {

/// The source pixels and weights of one destination position along an axis.
struct ResizeTap {
  std::int32_t index;        ///< first of the two source pixels (horizontal: in bytes)
  std::int16_t weight_near;  ///< of pixel `index`, 2048 = 1
  std::int16_t weight_far;   ///< of the next pixel
};

/// The sources of 16 consecutive numbers of a destination row, as one permutation of a window of
/// the source row. Bytes 4i and 4i+2 of `bytes` are the positions of number i's near and far source
/// in the window; its weights are 2i and 2i+1 of `weights`.
struct alignas(64) ResizeBlock {
  std::uint8_t bytes[64];
  std::int16_t weights[32];
  std::int32_t window;  ///< first byte of the window in the source row
};

/// How to resample a source row to the destination's width.
struct RowPlan {
  std::int64_t channels = 0;       ///< 1 or 3
  std::int64_t inner = 0;          ///< pixels [0, inner) have both source pixels in the image
  std::vector<ResizeTap> columns;  ///< one per destination pixel
  /// The same in blocks of 16 numbers; empty if a block's sources do not lie within 128 bytes.
  std::vector<ResizeBlock> blocks;
  bool windows_of_128 = false;  ///< else all sources of a block lie within 64 bytes
};

/// Fills `blocks` from the other members.
void plan_blocks(RowPlan& plan);

/// Numbers that a row kernel may write behind its row; it may read kRowReadahead bytes behind the
/// source's row.
inline constexpr std::size_t kRowSlack = 32;

enum class ResizeIsa : std::uint8_t { kPortable, kSsse3, kAvx512 };

/// Returns whether this processor has it. kAvx512 means F, BW and VBMI (Ice Lake, Zen 4 and later).
[[nodiscard]] bool has_isa(ResizeIsa isa);
[[nodiscard]] ResizeIsa best_isa();

struct RowKernels {
  /// Writes out[3x + c] (or out[x]): near x weight + far x weight, in units of 1/128.
  void (*resize_row)(const std::uint8_t* row, const RowPlan& plan, std::int16_t* out);
  /// Writes `count` numbers: near_row x weight + far_row x weight, rounded to a byte.
  void (*mix_rows)(const std::int16_t* near_row,
                   const std::int16_t* far_row,
                   const ResizeTap& weights,
                   std::size_t count,
                   std::uint8_t* out);
};

[[nodiscard]] RowKernels row_kernels(ResizeIsa isa);

}  // namespace dlbench::data
