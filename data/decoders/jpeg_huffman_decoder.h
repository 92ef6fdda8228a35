// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Entropy decoding of sequential JPEG files, called by libjpeg-turbo in place of its own. The
// original looks up a code and then fetches the bits of its value; here one look-up gives both, and
// often those of two coefficients.
#pragma once

#include <memory>

struct jpeg_decompress_struct;

namespace dlbench::data {

/// Serves one decompressor, which it must outlive. Keeps its tables and buffer between files.
class JpegHuffmanDecoder {
 public:
  JpegHuffmanDecoder();
  JpegHuffmanDecoder(const JpegHuffmanDecoder&) = delete;
  JpegHuffmanDecoder& operator=(const JpegHuffmanDecoder&) = delete;
  ~JpegHuffmanDecoder();

  /// Installs this decoder. Call it between jpeg_start_decompress() and the first read, with the
  /// rest of the file in the source's memory. Does nothing for progressive and arithmetic coding,
  /// nor for components that are coded one after the other.
  ///
  /// The coefficients equal libjpeg-turbo's. Invalid codes, which libjpeg-turbo does not always
  /// detect, and a segment that ends too early go to `error_exit`.
  void replace(jpeg_decompress_struct& info);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dlbench::data
