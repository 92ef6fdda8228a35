// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Bilinear resizing of 8-bit images with OpenCV's INTER_LINEAR sampling and rounding. No
// antialiasing when shrinking: that is what the tutorials' cv2.resize does.
#pragma once

#include "data/decoders/image.h"
#include "data/transforms/resize_rows.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dlbench::data {

/// Resizes images; keeps its tables and row buffers between calls. Use one per thread.
class BilinearResizer {
 public:
  /// All instruction sets give the same pixels; kPortable is the reference for tests of the others.
  explicit BilinearResizer(ResizeIsa isa = best_isa());

  /// Resizes `src` (1 or 3 channels) to (dst_height, dst_width, channels) in `dst`, which must have
  /// exactly that many bytes. Destination sides in [1, 2^15]. Requests only those source rows that
  /// the result depends on, from top to bottom.
  ///
  /// Pixel centres correspond: source x = (x + 0.5) * src_width / dst_width - 0.5, clamped to the
  /// image. Weights have 11 fractional bits; sums are rounded as OpenCV 4 does on 8-bit images,
  /// including its switch to 2 x 2 means at a reduction by exactly 2 on both axes. Pixels are equal
  /// to OpenCV's (tests/data/transforms/resize_test.cpp).
  void resize(ImageRows& src,
              std::int64_t dst_height,
              std::int64_t dst_width,
              std::span<std::uint8_t> dst);

 private:
  void plan(const ImageRows& src, std::int64_t dst_height, std::int64_t dst_width);

  ResizeIsa isa_;
  RowKernels kernels_;
  RowPlan row_plan_;
  std::vector<ResizeTap> rows_;
  std::vector<std::int16_t> row_buffers_[2];
};

}  // namespace dlbench::data
