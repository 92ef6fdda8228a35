// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts the planes of a colour JPEG to rows of RGB, one at a time and on demand; libjpeg-turbo's
// upsampling and colour conversion would convert all rows.
#pragma once

#include "data/decoders/image.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dlbench::data {

/// One component as libjpeg's inverse DCT left it. 128 bytes behind the last sample are readable.
struct SamplePlane {
  const std::uint8_t* samples = nullptr;
  std::int64_t row_bytes = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Y, Cb and Cr (JFIF's full-range ITU-R BT.601). Cb and Cr are as large as Y, or half as large on
/// both axes (rounded up).
struct YccPlanes {
  SamplePlane y, cb, cr;
};

class YccRows final : public ImageRows {
 public:
  /// Returns whether this processor has the needed instructions (AVX-512 F, BW, VBMI, VNNI). If
  /// not, use libjpeg-turbo's conversion.
  [[nodiscard]] static bool available();

  /// The planes must outlive the use of the rows.
  void set(const YccPlanes& planes);

  /// Equals libjpeg-turbo's result bit for bit: "fancy" upsampling of halved chroma (jdsample.c,
  /// h2v2_fancy_upsample) and its fixed-point conversion to RGB (jdcolor.c).
  const std::uint8_t* row(std::int64_t index) override;

 private:
  YccPlanes planes_;
  bool halved_ = false;
  std::array<std::vector<std::uint8_t>, 2> rows_;  ///< the two rows that are valid
  std::size_t turn_ = 0;
};

}  // namespace dlbench::data
