// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// JPEG through libjpeg-turbo's libjpeg interface.
#pragma once

#include "data/decoders/image.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace dlbench::data {

/// One libjpeg decompressor with its buffers. One per thread.
class JpegDecoder {
 public:
  /// `own_steps`: true uses dlbench's own entropy decoding, inverse DCT, upsampling and colour
  /// conversion where they support the file and the processor (see JpegHuffmanDecoder,
  /// JpegInverseDcts, YccRows); false uses libjpeg-turbo throughout. The pixels are the same.
  /// Throws Error(kLibrary).
  explicit JpegDecoder(bool own_steps = true);
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder();

  /// Decodes with the accurate integer DCT and smooth chroma upsampling, i.e. to the pixels that
  /// libjpeg-turbo gives by default. The rows are valid until the next call. Throws Error(kData)
  /// naming the path: not a JPEG, truncated, corrupt, CMYK, too large.
  ImageRows& decode(std::span<const std::byte> file,
                    const std::filesystem::path& path,
                    const DecodeRequest& request);
  ImageHeader read_header(std::span<const std::byte> file, const std::filesystem::path& path);

 private:
  class Decompressor;
  std::unique_ptr<Decompressor> decompressor_;
};

/// Returns the version of libjpeg-turbo that this was built with: the library does not tell its
/// own.
[[nodiscard]] std::string libjpeg_turbo_version();

}  // namespace dlbench::data
