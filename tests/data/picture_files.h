// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Encoded pictures for tests: what the decoders must give back is known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::data::testing {

struct Picture {
  int height = 0;
  int width = 0;
  int channels = 3;
  std::vector<std::uint8_t> pixels;
};

/// Smooth colours, so that JPEG changes them little.
[[nodiscard]] Picture smooth_picture(int height, int width, int channels);
/// 255 in the left half, 0 in the right, one channel.
[[nodiscard]] Picture half_mask(int height, int width);

/// Every pixel of its own random colour.
[[nodiscard]] Picture noisy_picture(int height, int width, int channels);

/// How a colour JPEG stores its chroma.
enum class Chroma : std::uint8_t { kFull, kHalvedAlongX, kHalvedAlongY, kHalved };

[[nodiscard]] std::string jpeg_bytes(const Picture& picture,
                                     int quality = 95,
                                     Chroma chroma = Chroma::kHalved);
/// With restart markers after every `interval` MCUs.
[[nodiscard]] std::string jpeg_bytes_with_restarts(const Picture& picture, int interval);
/// With Huffman tables of its own.
[[nodiscard]] std::string jpeg_bytes_with_own_tables(const Picture& picture, int quality);
/// What TurboJPEG makes of a file, reduced by `denominator`: RGB, or luma for one channel.
[[nodiscard]] Picture decode_with_turbojpeg(const std::string& jpeg, int channels, int denominator);
[[nodiscard]] std::string progressive_jpeg_bytes(const Picture& picture);
/// `channels` 1, 3 or 4 (RGBA); `interlaced`: Adam7. Of 16 `bits` the upper ones are the picture's.
[[nodiscard]] std::string png_bytes(const Picture& picture, bool interlaced = false, int bits = 8);
/// The file with `count` texts of `bytes` each, packed (zTXt), behind its header.
[[nodiscard]] std::string with_packed_texts(const std::string& png, int count, std::size_t bytes);
[[nodiscard]] std::string gzip_bytes(const std::string& plain);
[[nodiscard]] std::string idx_bytes(const std::vector<std::uint32_t>& extents,
                                    const std::vector<std::uint8_t>& values);

}  // namespace dlbench::data::testing
