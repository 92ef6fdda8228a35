// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Bilinear resizing of 8-bit images with OpenCV's INTER_LINEAR sampling and rounding. No
// antialiasing when shrinking: that is what the tutorials' cv2.resize does.
#pragma once

#include "data/decoders/image.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dlbench::data {

/// Keeps its tables and row buffers between calls. One per thread.
class BilinearResizer {
 public:
  /// Resizes `src` (1 or 3 channels) to (dst_height, dst_width, channels) in `dst`, which must have
  /// exactly that many bytes. Destination sides in [1, 2^15].
  ///
  /// Centres of pixels correspond: source x = (x + 0.5) * src_width / dst_width - 0.5, clamped to
  /// the image. Weights have 11 fractional bits; sums are rounded as OpenCV 4 does on 8-bit images,
  /// its change to 2 x 2 means at a reduction by exactly 2 on both axes included. Pixels are equal
  /// to OpenCV's (tests/data/transforms/resize_test.cpp).
  void resize(const ImageView& src,
              std::int64_t dst_height,
              std::int64_t dst_width,
              std::span<std::uint8_t> dst);

  /// Same result from loops without vector instructions: the oracle of the fast path.
  void resize_portable(const ImageView& src,
                       std::int64_t dst_height,
                       std::int64_t dst_width,
                       std::span<std::uint8_t> dst);

 private:
  struct Tap {
    std::int32_t index;        ///< first of the two source pixels (horizontal: in bytes)
    std::int16_t weight_near;  ///< of pixel `index`, 2048 = 1
    std::int16_t weight_far;   ///< of the next pixel
  };

  using RowFunction = void (*)(const std::uint8_t* row,
                               std::span<const Tap> taps,
                               std::int64_t inner,
                               std::int64_t channels,
                               std::int16_t* out);
  static void resize_row_portable(const std::uint8_t* row,
                                  std::span<const Tap> taps,
                                  std::int64_t inner,
                                  std::int64_t channels,
                                  std::int16_t* out);
  static void resize_row_ssse3(const std::uint8_t* row,
                               std::span<const Tap> taps,
                               std::int64_t inner,
                               std::int64_t channels,
                               std::int16_t* out);

  void run(const ImageView& src,
           std::int64_t dst_height,
           std::int64_t dst_width,
           std::span<std::uint8_t> dst,
           RowFunction resize_row);
  void prepare(const ImageView& src, std::int64_t dst_height, std::int64_t dst_width);

  std::vector<Tap> columns_;
  std::vector<Tap> rows_;
  std::int64_t inner_columns_ = 0;  ///< columns [0, inner) have both source pixels in the image
  std::vector<std::int16_t> row_buffers_[2];
};

}  // namespace dlbench::data
