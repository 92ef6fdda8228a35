// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// JPEG: the fast decoder for the commonest files, and libjpeg-turbo's TurboJPEG interface for all
// others and for naming what is wrong with a file.
#pragma once

#include "data/decoders/baseline_jpeg.h"
#include "data/decoders/image.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace dlbench::data {

/// One TurboJPEG handle. One per thread.
class JpegDecoder {
 public:
  /// Throws Error(kLibrary).
  JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder();

  /// Decodes with the accurate integer DCT and smooth chroma upsampling, i.e. the pixels that other
  /// users of libjpeg-turbo get by default. The view points into `pixels`.
  /// Throws Error(kData) naming the path: not a JPEG, truncated, corrupt, CMYK, too large.
  ImageView decode(std::span<const std::byte> file,
                   const std::filesystem::path& path,
                   const DecodeRequest& request,
                   PixelBuffer& pixels);
  /// The same by TurboJPEG alone: the oracle of the fast decoder. Scaled decoding differs a little.
  ImageView decode_with_library(std::span<const std::byte> file,
                                const std::filesystem::path& path,
                                const DecodeRequest& request,
                                PixelBuffer& pixels);
  ImageHeader read_header(std::span<const std::byte> file, const std::filesystem::path& path);

 private:
  class Handle;

  ImageView decode(std::span<const std::byte> file,
                   const std::filesystem::path& path,
                   const DecodeRequest& request,
                   PixelBuffer& pixels,
                   bool allow_baseline);

  std::unique_ptr<Handle> handle_;
  BaselineJpegDecoder baseline_;
};

}  // namespace dlbench::data
