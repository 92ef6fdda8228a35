// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/decoders/image.h"

#include "data/decoders/jpeg_decoder.h"
#include "data/decoders/png_decoder.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <new>

namespace dlbench::data {
namespace {

using core::Error;
using core::ErrorCode;

enum class ImageFormat : std::uint8_t { kJpeg, kPng, kUnknown };

/// Determines the format by the first bytes, regardless of the file's name.
ImageFormat sniff_image_format(std::span<const std::byte> file) {
  constexpr std::array<std::uint8_t, 3> kJpegStart{0xFF, 0xD8, 0xFF};  // ITU-T T.81, B.1.1.3: SOI
  constexpr std::array<std::uint8_t, 8> kPngStart{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  if (file.size() >= kJpegStart.size() &&
      std::memcmp(file.data(), kJpegStart.data(), kJpegStart.size()) == 0) {
    return ImageFormat::kJpeg;
  }
  if (file.size() >= kPngStart.size() &&
      std::memcmp(file.data(), kPngStart.data(), kPngStart.size()) == 0) {
    return ImageFormat::kPng;
  }
  return ImageFormat::kUnknown;
}

[[noreturn]] void throw_unknown_format(const std::filesystem::path& path) {
  throw Error(
      ErrorCode::kData,
      fmt::format("'{}' is neither a JPEG nor a PNG image (by its first bytes)", path.string()));
}

}  // namespace

void PixelRows::set(const ImageView& view) {
  set_shape(view.height, view.width, view.channels);
  pixels_ = view.pixels;
  row_bytes_ = view.row_bytes != 0 ? view.row_bytes : view.width * view.channels;
}

std::uint8_t* PixelBuffer::reserve(std::size_t bytes) {
  if (bytes + kRowReadahead > capacity_) {
    try {
      memory_.reset();
      capacity_ = 0;
      memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes + kRowReadahead);
      capacity_ = bytes + kRowReadahead;
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::kMemory,
                  fmt::format("cannot allocate {} bytes for a decoded image", bytes));
    }
  }
  // The resizer reads past the last pixel and discards what it read; the bytes must be defined.
  std::memset(memory_.get() + bytes, 0, kRowReadahead);
  return memory_.get();
}

void check_image_size(const ImageHeader& header,
                      std::int64_t max_pixels,
                      const std::filesystem::path& path) {
  if (header.height <= 0 || header.width <= 0) {
    throw Error(
        ErrorCode::kData,
        fmt::format(
            "'{}' says that it has {} x {} pixels", path.string(), header.width, header.height));
  }
  if (header.height > max_pixels / header.width) {
    throw Error(ErrorCode::kData,
                fmt::format("'{}' has {} x {} pixels; more than {} are refused",
                            path.string(),
                            header.width,
                            header.height,
                            max_pixels));
  }
}

class ImageDecoder::Impl {
 public:
  JpegDecoder jpeg;
  PngDecoder png;
  PixelBuffer png_pixels;
  PixelRows png_rows;
};

ImageDecoder::ImageDecoder() : impl_(std::make_unique<Impl>()) {}
ImageDecoder::~ImageDecoder() = default;

ImageRows& ImageDecoder::decode(std::span<const std::byte> file,
                                const std::filesystem::path& path,
                                const DecodeRequest& request) {
  switch (sniff_image_format(file)) {
    case ImageFormat::kJpeg:
      return impl_->jpeg.decode(file, path, request);
    case ImageFormat::kPng:
      impl_->png_rows.set(impl_->png.decode(file, path, request, impl_->png_pixels));
      return impl_->png_rows;
    case ImageFormat::kUnknown:
      break;
  }
  throw_unknown_format(path);
}

ImageHeader ImageDecoder::read_header(std::span<const std::byte> file,
                                      const std::filesystem::path& path) {
  switch (sniff_image_format(file)) {
    case ImageFormat::kJpeg:
      return impl_->jpeg.read_header(file, path);
    case ImageFormat::kPng:
      return impl_->png.read_header(file, path);
    case ImageFormat::kUnknown:
      break;
  }
  throw_unknown_format(path);
}

std::map<std::string, std::string> image_libraries() {
  return {{"libjpeg-turbo", libjpeg_turbo_version()}, {"libpng", libpng_version()}};
}

}  // namespace dlbench::data
