// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic behind the entropy decoder of baseline_jpeg.h: inverse DCT, chroma upsampling,
// colour. All need AVX2; jpeg_arithmetic_available() says whether this processor has it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlbench::data::detail {

[[nodiscard]] bool jpeg_arithmetic_available();

/// Dequantised coefficients of one block in natural order, row by row.
struct alignas(32) JpegBlock {
  std::int16_t values[64];
};

/// Inverse DCT of 8 x 8 coefficients to 8 x 8 samples at `out`: the algorithm and roundings of
/// libjpeg's accurate integer method ("islow"), so equal samples. C. Loeffler, A. Ligtenberg,
/// G. Moschytz: "Practical fast 1-D DCT algorithms with 11 multiplications", ICASSP 1989.
void inverse_dct_8x8(const JpegBlock& block, std::uint8_t* out, std::size_t stride);

/// The same for a block of which only the first coefficient is not zero.
void inverse_dct_constant(std::int16_t dc, int size, std::uint8_t* out, std::size_t stride);

/// Reduced inverse DCTs: the lowest size x size coefficients (size 4, 2 or 1) to size x size
/// samples, i.e. the block's picture low-pass filtered and reduced by 8 / size.
void inverse_dct_reduced(const JpegBlock& block, int size, std::uint8_t* out, std::size_t stride);

/// One row of chroma at twice the resolution on both axes, libjpeg's "fancy" upsampling: weights 9,
/// 3, 3, 1 of the four nearest samples. `near_row` holds the row that the output row lies in,
/// `far_row` the next nearest; both `width` samples, width > 2. Writes 2 * width samples. scratch:
/// width + 32.
void upsample_chroma_row(const std::uint8_t* near_row,
                         const std::uint8_t* far_row,
                         std::size_t width,
                         std::int16_t* scratch,
                         std::uint8_t* out);

/// One row of YCbCr (ITU-R BT.601, full range, as JFIF says) to interleaved RGB, rounded as in
/// libjpeg. Reads up to 32 samples past `width`, writes up to 32 bytes past 3 * width.
void ycc_to_rgb_row(const std::uint8_t* y,
                    const std::uint8_t* cb,
                    const std::uint8_t* cr,
                    std::size_t width,
                    std::uint8_t* rgb);

}  // namespace dlbench::data::detail
