// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoded images, decode requests, and the decoder that picks the format by the file's first bytes.
// Each format's decoder has its own file in this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dlbench::data {

/// Readable bytes behind a row of pixels: vector code reads whole vectors past the end.
inline constexpr std::size_t kRowReadahead = 128;

/// A decoded image, given row by row in u8: RGB order for three channels, luma for one.
class ImageRows {
 public:
  ImageRows(const ImageRows&) = delete;
  ImageRows& operator=(const ImageRows&) = delete;
  virtual ~ImageRows() = default;

  [[nodiscard]] std::int64_t height() const { return height_; }
  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] std::int64_t channels() const { return channels_; }

  /// Returns width x channels bytes, followed by kRowReadahead bytes of unspecified contents. Valid
  /// until the next call but one. Rows may be computed on demand, so ask for each only once.
  /// `index` in [0, height).
  virtual const std::uint8_t* row(std::int64_t index) = 0;

 protected:
  ImageRows() = default;
  void set_shape(std::int64_t height, std::int64_t width, std::int64_t channels) {
    height_ = height;
    width_ = width;
    channels_ = channels;
  }

 private:
  std::int64_t height_ = 0;
  std::int64_t width_ = 0;
  std::int64_t channels_ = 0;
};

/// Pixels in memory. The last one must be followed by kRowReadahead readable bytes.
struct ImageView {
  const std::uint8_t* pixels = nullptr;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::int64_t row_bytes = 0;  ///< from one row to the next; 0: width x channels
};

/// The rows of an image in memory, which must outlive this object.
class PixelRows final : public ImageRows {
 public:
  PixelRows() = default;
  explicit PixelRows(const ImageView& view) { set(view); }
  void set(const ImageView& view);
  const std::uint8_t* row(std::int64_t index) override { return pixels_ + index * row_bytes_; }

 private:
  const std::uint8_t* pixels_ = nullptr;
  std::int64_t row_bytes_ = 0;
};

/// A buffer that only grows, followed by kRowReadahead readable bytes.
class PixelBuffer {
 public:
  /// Returns at least `bytes` bytes of unspecified contents. Throws Error(kMemory).
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

/// Throws Error(kData) if height x width is zero or exceeds max_pixels, before memory is allocated.
void check_image_size(const ImageHeader& header,
                      std::int64_t max_pixels,
                      const std::filesystem::path& path);

/// Decodes JPEG and PNG; keeps decoder handles and buffers between calls. Use one per thread.
class ImageDecoder {
 public:
  ImageDecoder();
  ImageDecoder(const ImageDecoder&) = delete;
  ImageDecoder& operator=(const ImageDecoder&) = delete;
  ~ImageDecoder();

  /// Decodes into rows that are valid until the next call. `path` is for messages. Ignores EXIF
  /// orientation, drops alpha. Throws Error(kData) unless the file is an intact JPEG or PNG.
  ImageRows& decode(std::span<const std::byte> file,
                    const std::filesystem::path& path,
                    const DecodeRequest& request);
  /// Returns the size in pixels. Throws Error(kData).
  ImageHeader read_header(std::span<const std::byte> file, const std::filesystem::path& path);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns the libraries that decode images, with their versions.
[[nodiscard]] std::map<std::string, std::string> image_libraries();

}  // namespace dlbench::data
