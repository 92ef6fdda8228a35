// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/decoders/png_decoder.h"

#include "engine/core/check.h"
#include "engine/core/error.h"

#include <fmt/format.h>
#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>
#include <string>

namespace dlbench::data {
namespace {

using core::Error;
using core::ErrorCode;

struct Source {
  std::span<const std::byte> file;
  std::size_t offset = 0;
  std::array<char, 160> message{};
};

extern "C" {
static void read_from_memory(png_structp png, png_bytep out, std::size_t bytes) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (bytes > source->file.size() - source->offset) {
    png_error(png, "the file ends too early");
  }
  std::memcpy(out, source->file.data() + source->offset, bytes);
  source->offset += bytes;
}

static void keep_message(png_structp png, png_const_charp message) {
  auto* source = static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(source->message.data(), message, source->message.size() - 1);
  png_longjmp(png, 1);
}

static void ignore_warning(png_structp /*png*/, png_const_charp /*message*/) {}
}

/// libpng reports errors by longjmp, which must not skip a destructor: each call into it below is a
/// small function without objects that returns false after a jump.
class PngReader {
 public:
  PngReader(std::span<const std::byte> file, const std::filesystem::path& path) : path_(path) {
    source_.file = file;
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, keep_message, ignore_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, &info_, nullptr);
      throw Error(ErrorCode::kLibrary, "libpng: cannot create a reader");
    }
    png_set_read_fn(png_, &source_, read_from_memory);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  ImageHeader header() {
    check(read_info());
    return {static_cast<std::int64_t>(png_get_image_height(png_, info_)),
            static_cast<std::int64_t>(png_get_image_width(png_, info_))};
  }

  [[nodiscard]] bool is_colour() const {
    return (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) != 0;
  }

  /// After header(). Asks libpng for 8-bit rows of `channels` without alpha.
  void set_transforms(std::size_t channels) {
    check(request_transforms(channels == 3));
    const std::size_t wanted = png_get_image_width(png_, info_) * channels;
    if (png_get_rowbytes(png_, info_) != wanted) {
      throw Error(ErrorCode::kData,
                  fmt::format("'{}' has a PNG pixel format that is not supported", path_.string()));
    }
  }

  /// Reads the rows consecutively, `row_bytes` each.
  void read(std::uint8_t* out, std::size_t row_bytes) { check(read_rows(out, row_bytes)); }

 private:
  void check(bool success) {
    if (!success) {
      throw Error(
          ErrorCode::kData,
          fmt::format("'{}' is not a sound PNG image: {}", path_.string(), source_.message.data()));
    }
  }

  bool read_info() {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    // The caller's own limit on pixels is checked next, with a better message.
    png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
    // Texts and profiles, which pixels do not need, would be unpacked and kept: a file of 7 MB may
    // have 7 GB of them.
    constexpr int kAllThatMayBeIgnored = -1;
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, kAllThatMayBeIgnored);
    png_read_info(png_, info_);
    return true;
  }

  bool request_transforms(bool rgb) {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    png_set_palette_to_rgb(png_);
    png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_16(png_);
    png_set_strip_alpha(png_);
    if (rgb) {
      png_set_gray_to_rgb(png_);
    }
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  // Not png_read_image(), which needs a pointer to each row: for an image one pixel wide these take
  // several times its size.
  bool read_rows(std::uint8_t* out, std::size_t row_bytes) {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      return false;
    }
    const std::size_t height = png_get_image_height(png_, info_);
    for (int pass = 0; pass < passes_; ++pass) {
      for (std::size_t row = 0; row < height; ++row) {
        png_read_row(png_, out + row * row_bytes, nullptr);
      }
    }
    png_read_end(png_, nullptr);
    return true;
  }

  const std::filesystem::path& path_;
  Source source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int passes_ = 1;
};

/// ITU-R BT.601 luma with 14 fractional bits, in place: 0.299 R + 0.587 G + 0.114 B.
void rgb_to_grey(std::uint8_t* pixels, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned luma =
        pixels[3 * i] * 4899U + pixels[3 * i + 1] * 9617U + pixels[3 * i + 2] * 1868U;
    pixels[i] = static_cast<std::uint8_t>((luma + 8192U) >> 14U);
  }
}

}  // namespace

ImageHeader PngDecoder::read_header(std::span<const std::byte> file,
                                    const std::filesystem::path& path) {
  return PngReader(file, path).header();
}

ImageView PngDecoder::decode(std::span<const std::byte> file,
                             const std::filesystem::path& path,
                             const DecodeRequest& request,
                             PixelBuffer& pixels) {
  DLBENCH_CHECK(request.channels == 1 || request.channels == 3) << request.channels;
  PngReader reader(file, path);
  const ImageHeader header = reader.header();
  check_image_size(header, request.max_pixels, path);
  const std::size_t decoded_channels = request.channels == 3 || reader.is_colour() ? 3 : 1;
  reader.set_transforms(decoded_channels);
  const auto height = static_cast<std::size_t>(header.height);
  const std::size_t row_bytes = static_cast<std::size_t>(header.width) * decoded_channels;
  std::uint8_t* out = pixels.reserve(height * row_bytes);
  reader.read(out, row_bytes);
  if (decoded_channels == 3 && request.channels == 1) {
    rgb_to_grey(out, height * static_cast<std::size_t>(header.width));
  }
  return {out, header.height, header.width, request.channels};
}

std::string libpng_version() { return png_get_libpng_ver(nullptr); }

}  // namespace dlbench::data
