// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/data/picture_files.h"

#include "engine/core/check.h"
#include "engine/core/rng.h"

#include <png.h>
#include <turbojpeg.h>
#include <zlib.h>

#include <cstdlib>
#include <memory>

namespace dlbench::data::testing {
namespace {

std::string encode_jpeg(const Picture& picture, int quality, int sampling, int flags) {
  const std::unique_ptr<void, int (*)(tjhandle)> handle(tjInitCompress(), tjDestroy);
  unsigned char* buffer = nullptr;
  unsigned long bytes = 0;
  const int status = tjCompress2(handle.get(),
                                 picture.pixels.data(),
                                 picture.width,
                                 0,
                                 picture.height,
                                 picture.channels == 3 ? TJPF_RGB : TJPF_GRAY,
                                 &buffer,
                                 &bytes,
                                 picture.channels == 3 ? sampling : TJSAMP_GRAY,
                                 quality,
                                 flags);
  DLBENCH_CHECK(status == 0) << tjGetErrorStr2(handle.get());
  std::string text(reinterpret_cast<const char*>(buffer), bytes);
  tjFree(buffer);
  return text;
}

void append_to_string(png_structp png, png_bytep data, png_size_t bytes) {
  static_cast<std::string*>(png_get_io_ptr(png))
      ->append(reinterpret_cast<const char*>(data), bytes);
}

void flush_nothing(png_structp /*png*/) {}

}  // namespace

Picture smooth_picture(int height, int width, int channels) {
  Picture picture{height, width, channels, {}};
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      for (int channel = 0; channel < channels; ++channel) {
        const int value = channel == 0   ? 255 * column / width
                          : channel == 1 ? 255 * row / height
                                         : 128 + 60 * (row + column) / (height + width);
        picture.pixels.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  return picture;
}

Picture half_mask(int height, int width) {
  Picture picture{height, width, 1, {}};
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      picture.pixels.push_back(column < width / 2 ? 255 : 0);
    }
  }
  return picture;
}

Picture noisy_picture(int height, int width, int channels) {
  core::RandomStream random(1, 2);
  Picture picture{height, width, channels, {}};
  for (int i = 0; i < height * width * channels; ++i) {
    picture.pixels.push_back(static_cast<std::uint8_t>(random.below(256)));
  }
  return picture;
}

std::string jpeg_bytes(const Picture& picture, int quality, Chroma chroma) {
  switch (chroma) {
    case Chroma::kFull:
      return encode_jpeg(picture, quality, TJSAMP_444, 0);
    case Chroma::kHalvedAlongX:
      return encode_jpeg(picture, quality, TJSAMP_422, 0);
    case Chroma::kHalvedAlongY:
      return encode_jpeg(picture, quality, TJSAMP_440, 0);
    case Chroma::kHalved:
      break;
  }
  return encode_jpeg(picture, quality, TJSAMP_420, 0);
}

// Some options of TurboJPEG are environment variables.
std::string jpeg_bytes_with_restarts(const Picture& picture, int interval) {
  ::setenv("TJ_RESTART", (std::to_string(interval) + "B").c_str(), 1);
  std::string file = jpeg_bytes(picture, 80);
  ::unsetenv("TJ_RESTART");
  return file;
}

std::string jpeg_bytes_with_own_tables(const Picture& picture, int quality) {
  ::setenv("TJ_OPTIMIZE", "1", 1);
  std::string file = jpeg_bytes(picture, quality);
  ::unsetenv("TJ_OPTIMIZE");
  return file;
}

Picture decode_with_turbojpeg(const std::string& jpeg, int channels, int denominator) {
  const std::unique_ptr<void, int (*)(tjhandle)> handle(tjInitDecompress(), tjDestroy);
  const auto* bytes = reinterpret_cast<const unsigned char*>(jpeg.data());
  int width = 0;
  int height = 0;
  int sampling = 0;
  int colorspace = 0;
  DLBENCH_CHECK(tjDecompressHeader3(
                    handle.get(), bytes, jpeg.size(), &width, &height, &sampling, &colorspace) ==
                0);
  const tjscalingfactor scale{1, denominator};
  Picture picture{TJSCALED(height, scale), TJSCALED(width, scale), channels, {}};
  picture.pixels.resize(static_cast<std::size_t>(picture.height) *
                        static_cast<std::size_t>(picture.width) *
                        static_cast<std::size_t>(channels));
  DLBENCH_CHECK(tjDecompress2(handle.get(),
                              bytes,
                              jpeg.size(),
                              picture.pixels.data(),
                              picture.width,
                              0,
                              picture.height,
                              channels == 3 ? TJPF_RGB : TJPF_GRAY,
                              0) == 0);
  return picture;
}

std::string progressive_jpeg_bytes(const Picture& picture) {
  return encode_jpeg(picture, 95, TJSAMP_420, TJFLAG_PROGRESSIVE);
}

std::string png_bytes(const Picture& picture, bool interlaced, int bits) {
  std::vector<std::uint8_t> samples;
  for (const std::uint8_t value : picture.pixels) {
    samples.push_back(value);
    if (bits == 16) {
      samples.push_back(static_cast<std::uint8_t>(255 - value));
    }
  }
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &out, append_to_string, flush_nothing);
  const int type = picture.channels == 1   ? PNG_COLOR_TYPE_GRAY
                   : picture.channels == 3 ? PNG_COLOR_TYPE_RGB
                                           : PNG_COLOR_TYPE_RGB_ALPHA;
  png_set_IHDR(png,
               info,
               static_cast<png_uint_32>(picture.width),
               static_cast<png_uint_32>(picture.height),
               bits,
               type,
               interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  std::vector<png_bytep> rows;
  for (int row = 0; row < picture.height; ++row) {
    rows.push_back(samples.data() +
                   static_cast<std::ptrdiff_t>(row) * picture.width * picture.channels * bits / 8);
  }
  png_write_image(png, rows.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out;
}

// PNG specification, 5.3 and 11.3.3.3.
std::string with_packed_texts(const std::string& png, int count, std::size_t bytes) {
  constexpr std::size_t kHeaderEnd = 33;  // signature and IHDR
  const std::string text(bytes, 'x');
  std::string packed(compressBound(bytes), '\0');
  uLongf length = packed.size();
  DLBENCH_CHECK(compress(reinterpret_cast<Bytef*>(packed.data()),
                         &length,
                         reinterpret_cast<const Bytef*>(text.data()),
                         text.size()) == Z_OK);
  const auto big_endian = [](std::uint32_t number) {
    std::string four;
    for (const int shift : {24, 16, 8, 0}) {
      four += static_cast<char>(number >> static_cast<unsigned>(shift));
    }
    return four;
  };
  const std::string data = std::string("key\0\0", 5) + packed.substr(0, length);
  const std::string checked = "zTXt" + data;
  const auto crc = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
  const std::string chunk =
      big_endian(static_cast<std::uint32_t>(data.size())) + checked + big_endian(crc);
  std::string texts;
  for (int text_index = 0; text_index < count; ++text_index) {
    texts += chunk;
  }
  return png.substr(0, kHeaderEnd) + texts + png.substr(kHeaderEnd);
}

std::string gzip_bytes(const std::string& plain) {
  z_stream stream{};
  DLBENCH_CHECK(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(plain.size() + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  DLBENCH_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string idx_bytes(const std::vector<std::uint32_t>& extents,
                      const std::vector<std::uint8_t>& values) {
  std::string out{'\0', '\0', '\x08', static_cast<char>(extents.size())};
  for (const std::uint32_t extent : extents) {
    for (const int shift : {24, 16, 8, 0}) {
      out.push_back(static_cast<char>((extent >> shift) & 0xffU));
    }
  }
  out.append(reinterpret_cast<const char*>(values.data()), values.size());
  return out;
}

}  // namespace dlbench::data::testing
