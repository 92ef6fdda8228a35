// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From the planes of a colour JPEG to rows of RGB, a row at a time and only those that are asked
// for: libjpeg-turbo's own upsampling and colour conversion would make all of them.
#pragma once

#include "data/decoders/image.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dlbench::data {

/// One component as libjpeg's inverse DCT left it. 128 bytes behind the last sample can be read.
struct SamplePlane {
  const std::uint8_t* samples = nullptr;
  std::int64_t row_bytes = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Y, Cb and Cr (JFIF's full-range ITU-R BT.601). Cb and Cr are of Y's size, or halved on both axes
/// (rounded up).
struct YccPlanes {
  SamplePlane y, cb, cr;
};

class YccRows final : public ImageRows {
 public:
  /// Whether this processor has the instructions (AVX-512 F, BW, VBMI, VNNI). Where it has not,
  /// libjpeg-turbo's conversion is the way to go.
  [[nodiscard]] static bool available();

  /// The planes must outlive the use of the rows.
  void set(const YccPlanes& planes);

  /// Bit for bit what libjpeg-turbo gives: "fancy" upsampling of halved chroma (jdsample.c,
  /// h2v2_fancy_upsample) and its fixed-point conversion to RGB (jdcolor.c).
  const std::uint8_t* row(std::int64_t index) override;

 private:
  YccPlanes planes_;
  bool halved_ = false;
  std::array<std::vector<std::uint8_t>, 2> rows_;  ///< the two rows that are valid
  std::size_t turn_ = 0;
};

}  // namespace dlbench::data
