// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Samples along one edge of a block after the inverse DCT: 8 at full size. libjpeg-turbo offers the
// binary interface of libjpeg 6b (Debian) or of 7 and 8 (Ubuntu), where width and height have
// separate fields; it makes square blocks only.
#pragma once

// jpeglib.h needs FILE to be declared before it.
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

namespace dlbench::data {

inline int samples_per_block(const jpeg_component_info& component) {
#if JPEG_LIB_VERSION >= 70
  return component.DCT_h_scaled_size;
#else
  return component.DCT_scaled_size;
#endif
}

/// Returns the smallest value of all components.
inline int samples_per_block(const jpeg_decompress_struct& info) {
#if JPEG_LIB_VERSION >= 70
  return info.min_DCT_h_scaled_size;
#else
  return info.min_DCT_scaled_size;
#endif
}

}  // namespace dlbench::data
