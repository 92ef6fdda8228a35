// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A fast decoder for the commonest JPEG files: baseline, Huffman, one scan, grey or YCbCr 4:2:0 or
// 4:4:4. It gives libjpeg-turbo's pixels, or declines; it never reports an error itself.
#pragma once

#include "data/decoders/image.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dlbench::data {

/// Keeps buffers between calls. One per thread.
class BaselineJpegDecoder {
 public:
  /// Decodes into `pixels` what JpegDecoder::decode() would (scaled decoding: nearly). The caller
  /// has checked the size of the image and chosen denominator 1, 2, 4 or 8. nullopt: not a file of
  /// the kind above, or anything about it is unusual or damaged, or this processor lacks AVX2. The
  /// general decoder then decodes or reports it.
  std::optional<ImageView> decode(std::span<const std::byte> file,
                                  const ImageHeader& header,
                                  std::int64_t channels,
                                  int denominator,
                                  PixelBuffer& pixels);

 private:
  struct Frame;
  struct Plane {
    std::vector<std::uint8_t> samples;
    std::size_t stride = 0;
    std::size_t width = 0;  ///< samples that belong to the image
    std::size_t height = 0;
  };

  bool decode_scan(const Frame& frame, std::span<const std::uint8_t> data, std::int64_t channels);
  void size_planes(Frame& frame, int denominator);
  void write_rgb(const Frame& frame, std::uint8_t* out);

  Plane planes_[3];
  std::vector<std::uint8_t> chroma_rows_[2];
  std::vector<std::int16_t> scratch_;
};

}  // namespace dlbench::data
