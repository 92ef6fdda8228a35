// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// PNG through libpng: all colour types and depths, reduced to 8 bits without gamma correction.
#pragma once

#include "data/decoders/image.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dlbench::data {

/// Decodes PNG; keeps buffers between calls. Use one per thread.
class PngDecoder {
 public:
  /// Drops alpha, keeps the upper 8 of 16 bits and looks up palettes. The view points into
  /// `pixels`. Throws Error(kData) naming the path: not a PNG, truncated, corrupt, too large.
  ImageView decode(std::span<const std::byte> file,
                   const std::filesystem::path& path,
                   const DecodeRequest& request,
                   PixelBuffer& pixels);
  ImageHeader read_header(std::span<const std::byte> file, const std::filesystem::path& path);
};

/// Returns the version of libpng that is loaded.
[[nodiscard]] std::string libpng_version();

}  // namespace dlbench::data
