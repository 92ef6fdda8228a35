// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing the files of generated data sets, with errors that name the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace dlbench::data {

/// Writes a new file. Throws Error(kFile) naming the path and the reason (disk full, read-only).
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// One TurboJPEG compressor and its output buffer. One per thread.
class JpegWriter {
 public:
  /// Throws Error(kLibrary).
  JpegWriter();
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter();

  struct Image {
    std::span<const std::uint8_t> pixels;  ///< (height, width, channels), RGB or grey
    int height = 0;
    int width = 0;
    int channels = 3;
    int quality = 90;  ///< 1 to 100
  };

  /// Encodes a baseline JPEG, chroma halved on both axes. The span is valid until the next call.
  [[nodiscard]] std::span<const std::byte> encode(const Image& image);

 private:
  class Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace dlbench::data
