// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/decoders/jpeg_decoder.h"

#include "engine/core/check.h"
#include "engine/core/error.h"

#include <fmt/format.h>
#include <turbojpeg.h>

#include <limits>
#include <string>
#include <string_view>

namespace dlbench::data {
namespace {

using core::Error;
using core::ErrorCode;

struct JpegHeader {
  int width = 0;
  int height = 0;
  int colorspace = 0;
};

/// What libjpeg says when bytes stand between the last coded data and the end marker. Some cameras
/// write such padding; nothing of the image is missing. All other warnings mean damage.
bool is_harmless(std::string_view warning) {
  return warning.find("extraneous bytes before marker 0xd9") != std::string_view::npos;
}

/// The largest reduction by 1, 1/2, 1/4 or 1/8 that keeps both sides at or above the minimum. Other
/// eighths exist, but decode slower than these.
tjscalingfactor choose_scale(const JpegHeader& header, const DecodeRequest& request) {
  tjscalingfactor best{1, 1};
  if (request.min_height <= 0 || request.min_width <= 0) {
    return best;
  }
  for (const int denominator : {2, 4, 8}) {
    const tjscalingfactor factor{1, denominator};
    if (TJSCALED(header.width, factor) < request.min_width ||
        TJSCALED(header.height, factor) < request.min_height) {
      break;
    }
    best = factor;
  }
  return best;
}

}  // namespace

class JpegDecoder::Handle {
 public:
  Handle() : handle_(tjInitDecompress()) {
    if (handle_ == nullptr) {
      throw Error(ErrorCode::kLibrary,
                  fmt::format("tjInitDecompress failed: {}", tjGetErrorStr2(nullptr)));
    }
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { tjDestroy(handle_); }

  [[nodiscard]] tjhandle get() const { return handle_; }

  JpegHeader header(std::span<const std::byte> file, const std::filesystem::path& path) {
    DLBENCH_CHECK(file.size() <= std::numeric_limits<unsigned long>::max());
    JpegHeader header;
    int subsampling = 0;
    if (tjDecompressHeader3(handle_,
                            reinterpret_cast<const unsigned char*>(file.data()),
                            static_cast<unsigned long>(file.size()),
                            &header.width,
                            &header.height,
                            &subsampling,
                            &header.colorspace) != 0) {
      throw_corrupt(path);
    }
    return header;
  }

  [[noreturn]] void throw_corrupt(const std::filesystem::path& path) {
    throw Error(
        ErrorCode::kData,
        fmt::format("'{}' is not a sound JPEG image: {}", path.string(), tjGetErrorStr2(handle_)));
  }

 private:
  tjhandle handle_;
};

JpegDecoder::JpegDecoder() : handle_(std::make_unique<Handle>()) {}
JpegDecoder::~JpegDecoder() = default;

ImageHeader JpegDecoder::read_header(std::span<const std::byte> file,
                                     const std::filesystem::path& path) {
  const JpegHeader header = handle_->header(file, path);
  return {header.height, header.width};
}

ImageView JpegDecoder::decode(std::span<const std::byte> file,
                              const std::filesystem::path& path,
                              const DecodeRequest& request,
                              PixelBuffer& pixels) {
  DLBENCH_CHECK(request.channels == 1 || request.channels == 3) << request.channels;
  const JpegHeader header = handle_->header(file, path);
  check_image_size({header.height, header.width}, request.max_pixels, path);
  if (header.colorspace == TJCS_CMYK || header.colorspace == TJCS_YCCK) {
    throw Error(ErrorCode::kData,
                fmt::format("'{}' is a CMYK JPEG; wanted RGB or grey", path.string()));
  }
  const tjscalingfactor scale = choose_scale(header, request);
  const int width = TJSCALED(header.width, scale);
  const int height = TJSCALED(header.height, scale);
  const auto channels = static_cast<std::size_t>(request.channels);
  std::uint8_t* out =
      pixels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * channels);
  // TJFLAG_LIMITSCANS: a small progressive file with thousands of scans must not take minutes.
  if (tjDecompress2(handle_->get(),
                    reinterpret_cast<const unsigned char*>(file.data()),
                    static_cast<unsigned long>(file.size()),
                    out,
                    width,
                    0,
                    height,
                    channels == 3 ? TJPF_RGB : TJPF_GRAY,
                    TJFLAG_LIMITSCANS) != 0) {
    const bool is_warning = tjGetErrorCode(handle_->get()) == TJERR_WARNING;
    if (!is_warning || !is_harmless(tjGetErrorStr2(handle_->get()))) {
      handle_->throw_corrupt(path);
    }
  }
  return {out, height, width, request.channels};
}

}  // namespace dlbench::data
