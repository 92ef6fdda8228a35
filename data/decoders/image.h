// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoded images and what a decoder is asked for; the one entry that picks the decoder by the
// file's first bytes. Each format's decoder is in its own file beside this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace dlbench::data {

/// Pixels in rows without gaps: (height, width, channels) u8, RGB order for three channels. At
/// least 64 bytes behind the last pixel can be read.
struct ImageView {
  const std::uint8_t* pixels = nullptr;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
};

/// A buffer that only grows, followed by 64 readable bytes.
class PixelBuffer {
 public:
  /// At least `bytes` bytes, contents unspecified. Throws Error(kMemory).
  std::uint8_t* reserve(std::size_t bytes);

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::size_t capacity_ = 0;
};

struct DecodeRequest {
  std::int64_t channels = 3;  ///< 3: RGB; 1: grey (the luma of a colour image, ITU-R BT.601)
  /// JPEG may be reduced by a power of two in the DCT domain while both sides stay at or above
  /// these; 0: decode all pixels. Other formats ignore it.
  std::int64_t min_height = 0;
  std::int64_t min_width = 0;
  std::int64_t max_pixels = std::int64_t{1} << 27;
};

struct ImageHeader {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

enum class ImageFormat : std::uint8_t { kJpeg, kPng, kUnknown };

/// By the first bytes; the file's name does not matter.
[[nodiscard]] ImageFormat sniff_image_format(std::span<const std::byte> file);

/// Throws Error(kData) if height x width exceeds max_pixels or is zero: before memory is taken.
void check_image_size(const ImageHeader& header,
                      std::int64_t max_pixels,
                      const std::filesystem::path& path);

/// Decodes JPEG and PNG; keeps decoder handles and buffers between calls. One per thread.
class ImageDecoder {
 public:
  ImageDecoder();
  ImageDecoder(const ImageDecoder&) = delete;
  ImageDecoder& operator=(const ImageDecoder&) = delete;
  ~ImageDecoder();

  /// The view is valid until the next call. `path` is for messages. EXIF orientation is ignored,
  /// alpha is dropped. Throws Error(kData) for what is not a sound, complete JPEG or PNG file.
  ImageView decode(std::span<const std::byte> file,
                   const std::filesystem::path& path,
                   const DecodeRequest& request);
  /// The size in pixels. Throws Error(kData).
  ImageHeader read_header(std::span<const std::byte> file, const std::filesystem::path& path);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dlbench::data
