// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Inverse DCTs, called by libjpeg-turbo in place of its own, which use only a half or a quarter of
// an AVX-512 register. libjpeg still decides which block sizes occur and where samples go.
#pragma once

#include <array>
#include <cstddef>

struct jpeg_decompress_struct;

namespace dlbench::data {

/// Serves one decompressor, which it must outlive; libjpeg's `client_data` points to it.
class JpegInverseDcts {
 public:
  /// Installs the transforms. Call it between jpeg_start_decompress(), which chooses
  /// libjpeg-turbo's own, and the first read. Replaces the accurate integer transforms to 8 x 8
  /// (jidctint.c), 4 x 4 and 2 x 2 samples (jidctred.c), if this processor has AVX-512 F, BW, VBMI
  /// and VNNI. The samples equal those of libjpeg-turbo's vector code bit for bit: blocks that may
  /// overflow, which no encoder makes of 8-bit samples, are left to it.
  void replace(jpeg_decompress_struct& info);

  /// The libjpeg-turbo transform of each component, of its type inverse_DCT_method_ptr.
  using Method = void (*)();
  [[nodiscard]] Method replaced(int component) const {
    return replaced_[static_cast<std::size_t>(component)];
  }

 private:
  std::array<Method, 10> replaced_{};  // libjpeg's MAX_COMPONENTS
};

}  // namespace dlbench::data
