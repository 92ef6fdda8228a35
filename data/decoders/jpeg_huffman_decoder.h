// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Entropy decoding of sequential JPEG files for libjpeg-turbo to call in place of its own, which
// looks up a code and then fetches the bits of its value: here one look-up gives both, and mostly
// those of two coefficients.
#pragma once

#include <memory>

struct jpeg_decompress_struct;

namespace dlbench::data {

/// For one decompressor, which it must outlive. Keeps its tables and buffer between files.
class JpegHuffmanDecoder {
 public:
  JpegHuffmanDecoder();
  JpegHuffmanDecoder(const JpegHuffmanDecoder&) = delete;
  JpegHuffmanDecoder& operator=(const JpegHuffmanDecoder&) = delete;
  ~JpegHuffmanDecoder();

  /// Call it between jpeg_start_decompress() and the first read, if the source has the rest of the
  /// file in memory. Does nothing for progressive and arithmetic coding, nor if components come one
  /// after the other.
  ///
  /// The coefficients are those that libjpeg-turbo gives. Codes that are none, which that does not
  /// always tell, and a segment that ends too early go to `error_exit`.
  void replace(jpeg_decompress_struct& info);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dlbench::data
