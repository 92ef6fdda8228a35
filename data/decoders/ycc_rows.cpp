// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Processes 64 pixels at a time, as 32 even and 32 odd ones: an upsampled pair of chroma samples,
// and the two halves of a 16-bit lane, separate this way for free.
#include "data/decoders/ycc_rows.h"

#include "data/decoders/avx512_internal.h"
#include "engine/core/check.h"

#include <algorithm>
#include <cstddef>

namespace dlbench::data {
namespace {

constexpr std::int64_t kPixelsPerTurn = 64;

#if defined(__x86_64__)
/// Even and odd pixels of one component, 16 bits each.
struct Parity {
  __m512i even, odd;
};

DLBENCH_TARGET_AVX512 inline Parity split_bytes(const std::uint8_t* bytes) {
  const __m512i all = _mm512_loadu_si512(bytes);
  return {_mm512_and_si512(all, _mm512_set1_epi16(255)), _mm512_srli_epi16(all, 8)};
}

/// A chroma row between two rows of samples: 3 x near + far, 32 at a time. The first and the last
/// sample are repeated to the left and right.
class ChromaRow {
 public:
  ChromaRow(const std::uint8_t* near_row, const std::uint8_t* far_row, std::int64_t width)
      : near_(near_row), far_(far_row), width_(width) {}

  [[nodiscard]] DLBENCH_TARGET_AVX512 __m512i at(std::int64_t column) const {
    if (column < 0) {
      return _mm512_set1_epi16(sum(0));
    }
    const __m512i sums =
        _mm512_add_epi16(_mm512_mullo_epi16(load(near_ + column), three()), load(far_ + column));
    if (column + 32 <= width_) {
      return sums;
    }
    const __m512i last = _mm512_set1_epi16(sum(width_ - 1));
    return column >= width_ ? last
                            : _mm512_mask_mov_epi16(last, (1U << (width_ - column)) - 1U, sums);
  }

 private:
  DLBENCH_TARGET_AVX512 static __m512i three() { return _mm512_set1_epi16(3); }
  DLBENCH_TARGET_AVX512 static __m512i load(const std::uint8_t* bytes) {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)));
  }
  [[nodiscard]] std::int16_t sum(std::int64_t column) const {
    return static_cast<std::int16_t>(3 * near_[column] + far_[column]);
  }

  const std::uint8_t* near_;
  const std::uint8_t* far_;
  std::int64_t width_;
};

/// Three adjacent results of a ChromaRow, moving to the right.
struct ChromaWindow {
  __m512i before, here, after;
};

/// Computes (3 x this + left + 8) / 16 and (3 x this + right + 7) / 16, rounded down.
DLBENCH_TARGET_AVX512 inline Parity upsample(const ChromaWindow& sums) {
  // Shifts neighbours by one lane: whole 128-bit lanes first, then bytes within them.
  const __m512i left =
      _mm512_alignr_epi8(sums.here, _mm512_alignr_epi64(sums.here, sums.before, 6), 14);
  const __m512i right =
      _mm512_alignr_epi8(_mm512_alignr_epi64(sums.after, sums.here, 2), sums.here, 2);
  const __m512i thrice = _mm512_mullo_epi16(sums.here, _mm512_set1_epi16(3));
  const __m512i even = _mm512_add_epi16(_mm512_add_epi16(thrice, left), _mm512_set1_epi16(8));
  const __m512i odd = _mm512_add_epi16(_mm512_add_epi16(thrice, right), _mm512_set1_epi16(7));
  return {_mm512_srli_epi16(even, 4), _mm512_srli_epi16(odd, 4)};
}

struct Rgb {
  __m512i r, g, b;
};

constexpr std::int16_t kRedRest = 13173;   // 0.40200 x 2^15
constexpr std::int16_t kBlueRest = -7471;  // -0.22800 x 2^15
/// Whether `fine`, in units of 2^-16, and `coarse`, in units of 2^-15, round to the same values.
constexpr bool round_alike(int fine, int coarse) {
  for (int chroma = -128; chroma < 128; ++chroma) {
    if ((fine * chroma + (1 << 15)) >> 16 != (coarse * chroma + (1 << 14)) >> 15) {
      return false;
    }
  }
  return true;
}
static_assert(round_alike(26345, kRedRest) && round_alike(-14942, kBlueRest));

/// R = Y + 1.40200 Cr, G = Y - 0.34414 Cb - 0.71414 Cr, B = Y + 1.77200 Cb, with 128 subtracted
/// from Cb and Cr (JFIF 1.02, page 3), each sum of products rounded once. Factors are split into an
/// integer and a rest below 0.5. jdcolor.c has the rests in units of 2^-16; those of red and blue
/// round to the same 256 values in mulhrs's 2^-15, the two of green are kept and summed in 32 bits.
DLBENCH_TARGET_AVX512 inline Rgb convert(__m512i y, __m512i cb, __m512i cr) {
  const __m512i centre = _mm512_set1_epi16(128);
  cb = _mm512_sub_epi16(cb, centre);
  cr = _mm512_sub_epi16(cr, centre);
  const __m512i red =  // 1 + 0.40200
      _mm512_add_epi16(cr, _mm512_mulhrs_epi16(cr, _mm512_set1_epi16(kRedRest)));
  const __m512i blue =  // 2 - 0.22800
      _mm512_add_epi16(_mm512_slli_epi16(cb, 1),
                       _mm512_mulhrs_epi16(cb, _mm512_set1_epi16(kBlueRest)));
  // -0.34414 Cb + 0.28586 Cr, then - Cr.
  const __m512i factors = _mm512_set1_epi32((18734 << 16) | (-22554 & 0xFFFF));
  const __m512i half = _mm512_set1_epi32(1 << 15);
  const auto mix = [&](__m512i pairs) DLBENCH_TARGET_AVX512 {
    return _mm512_srai_epi32(_mm512_dpwssd_epi32(half, pairs, factors), 16);
  };
  const __m512i green = _mm512_sub_epi16(
      _mm512_packs_epi32(mix(_mm512_unpacklo_epi16(cb, cr)), mix(_mm512_unpackhi_epi16(cb, cr))),
      cr);
  return {_mm512_add_epi16(y, red), _mm512_add_epi16(y, green), _mm512_add_epi16(y, blue)};
}

/// Permutations that write 64 pixels, held as one register per channel in packus order (of every 16
/// bytes, 8 even and then 8 odd pixels), as 192 bytes r g b r g b ...
struct Interleaving {
  alignas(64) std::uint8_t red_green[3][64];  ///< places in the pair of registers (red, green)
  alignas(64) std::uint8_t blue[3][64];
  std::uint64_t is_blue[3];

  constexpr Interleaving() : red_green{}, blue{}, is_blue{} {
    for (unsigned byte = 0; byte < 192; ++byte) {
      const unsigned pixel = byte / 3;
      const unsigned channel = byte % 3;
      const unsigned place = pixel / 16 * 16 + pixel % 2 * 8 + pixel % 16 / 2;
      red_green[byte / 64][byte % 64] =
          static_cast<std::uint8_t>(channel == 1 ? 64 + place : place);
      blue[byte / 64][byte % 64] = static_cast<std::uint8_t>(place);
      is_blue[byte / 64] |= std::uint64_t{channel == 2} << (byte % 64);
    }
  }
};
constexpr Interleaving kInterleaving;

DLBENCH_TARGET_AVX512 inline void store(const Rgb& even, const Rgb& odd, std::uint8_t* out) {
  const __m512i red = _mm512_packus_epi16(even.r, odd.r);
  const __m512i green = _mm512_packus_epi16(even.g, odd.g);
  const __m512i blue = _mm512_packus_epi16(even.b, odd.b);
  for (int part = 0; part < 3; ++part) {
    const __m512i red_green =
        _mm512_permutex2var_epi8(red, _mm512_load_si512(kInterleaving.red_green[part]), green);
    _mm512_storeu_si512(out + std::ptrdiff_t{64} * part,
                        _mm512_mask_permutexvar_epi8(red_green,
                                                     kInterleaving.is_blue[part],
                                                     _mm512_load_si512(kInterleaving.blue[part]),
                                                     blue));
  }
}

DLBENCH_TARGET_AVX512 void convert_full(const std::uint8_t* y,
                                        const std::uint8_t* cb,
                                        const std::uint8_t* cr,
                                        std::int64_t width,
                                        std::uint8_t* out) {
  for (std::int64_t x = 0; x < width; x += kPixelsPerTurn) {
    const Parity luma = split_bytes(y + x);
    const Parity blue = split_bytes(cb + x);
    const Parity red = split_bytes(cr + x);
    store(
        convert(luma.even, blue.even, red.even), convert(luma.odd, blue.odd, red.odd), out + 3 * x);
  }
}

DLBENCH_TARGET_AVX512 void convert_halved(const std::uint8_t* y,
                                          const ChromaRow& cb,
                                          const ChromaRow& cr,
                                          std::int64_t width,
                                          std::uint8_t* out) {
  ChromaWindow blue_sums{cb.at(-1), cb.at(0), cb.at(32)};
  ChromaWindow red_sums{cr.at(-1), cr.at(0), cr.at(32)};
  for (std::int64_t x = 0; x < width; x += kPixelsPerTurn) {
    const Parity luma = split_bytes(y + x);
    const Parity blue = upsample(blue_sums);
    const Parity red = upsample(red_sums);
    store(
        convert(luma.even, blue.even, red.even), convert(luma.odd, blue.odd, red.odd), out + 3 * x);
    const std::int64_t next = x / 2 + 64;
    blue_sums = {blue_sums.here, blue_sums.after, cb.at(next)};
    red_sums = {red_sums.here, red_sums.after, cr.at(next)};
  }
}
#endif

}  // namespace

bool YccRows::available() { return has_avx512(); }

void YccRows::set(const YccPlanes& planes) {
  DLBENCH_CHECK(available());
  const SamplePlane& y = planes.y;
  halved_ = planes.cb.width != y.width || planes.cb.height != y.height;
  for (const SamplePlane* chroma : {&planes.cb, &planes.cr}) {
    DLBENCH_CHECK(!halved_ ||
                  (chroma->width == (y.width + 1) / 2 && chroma->height == (y.height + 1) / 2));
    DLBENCH_CHECK(halved_ || (chroma->width == y.width && chroma->height == y.height));
  }
  planes_ = planes;
  set_shape(y.height, y.width, 3);
  const auto turns = static_cast<std::size_t>((y.width + kPixelsPerTurn - 1) / kPixelsPerTurn);
  for (auto& row : rows_) {
    row.resize(turns * 3 * kPixelsPerTurn + kRowReadahead);
  }
}

const std::uint8_t* YccRows::row([[maybe_unused]] std::int64_t index) {
  std::uint8_t* out = rows_[turn_].data();
  turn_ = 1 - turn_;
#if defined(__x86_64__)
  const auto at = [](const SamplePlane& plane, std::int64_t row) {
    return plane.samples + row * plane.row_bytes;
  };
  const std::uint8_t* y = at(planes_.y, index);
  if (halved_) {
    // Odd rows are nearer to the next row of chroma, even ones to the previous; edges repeat.
    const std::int64_t near_row = index / 2;
    const std::int64_t far_row =
        std::clamp<std::int64_t>(near_row + (index % 2 == 1 ? 1 : -1), 0, planes_.cb.height - 1);
    const auto between = [&](const SamplePlane& plane) {
      return ChromaRow(at(plane, near_row), at(plane, far_row), plane.width);
    };
    convert_halved(y, between(planes_.cb), between(planes_.cr), width(), out);
  } else {
    convert_full(y, at(planes_.cb, index), at(planes_.cr, index), width(), out);
  }
#endif
  return out;
}

}  // namespace dlbench::data
