// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/decoders/jpeg_arithmetic.h"

#include "engine/core/check.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace dlbench::data::detail {

void inverse_dct_constant(std::int16_t dc, int size, std::uint8_t* out, std::size_t stride) {
  // Both passes leave one coefficient: dc / 8, rounded half up, around 128.
  const auto sample = static_cast<std::uint8_t>(std::clamp(((dc + 4) >> 3) + 128, 0, 255));
  if (size == 8) {
    const std::uint64_t eight = sample * std::uint64_t{0x0101010101010101};
    for (std::size_t row = 0; row < 8; ++row) {
      std::memcpy(out + row * stride, &eight, sizeof(eight));
    }
    return;
  }
  for (int row = 0; row < size; ++row) {
    std::memset(
        out + static_cast<std::size_t>(row) * stride, sample, static_cast<std::size_t>(size));
  }
}

#if defined(__x86_64__)

#define DLBENCH_AVX2 __attribute__((target("avx2")))

namespace {

// Fixed point with 13 fractional bits; the names give the value times 10^9 as in the literature.
constexpr int kFractionBits = 13;
constexpr int kFix298631336 = 2446;
constexpr int kFix390180644 = 3196;
constexpr int kFix541196100 = 4433;
constexpr int kFix765366865 = 6270;
constexpr int kFix899976223 = 7373;
constexpr int kFix1175875602 = 9633;
constexpr int kFix1501321110 = 12299;
constexpr int kFix1847759065 = 15137;
constexpr int kFix1961570560 = 16069;
constexpr int kFix2053119869 = 16819;
constexpr int kFix2562915447 = 20995;
constexpr int kFix3072711026 = 25172;

std::uint8_t to_sample(float value) {
  return static_cast<std::uint8_t>(std::clamp(static_cast<int>(value + 128.5F), 0, 255));
}

DLBENCH_AVX2 inline __m256i add(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
DLBENCH_AVX2 inline __m256i sub(__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }

/// Pairs (a, b) of eight columns, in order.
DLBENCH_AVX2 inline __m256i pairs_of(__m128i a, __m128i b) {
  return _mm256_set_m128i(_mm_unpackhi_epi16(a, b), _mm_unpacklo_epi16(a, b));
}

/// a * first + b * second of all pairs (a, b).
DLBENCH_AVX2 inline __m256i weigh(__m256i pairs, int first, int second) {
  return _mm256_madd_epi16(pairs, _mm256_set1_epi32((first & 0xffff) | (second * 65536)));
}

/// Eight 1-D transforms at a time, one per column, along rows[0..7]; results shifted right,
/// rounded. The products of the published flow graph are collected per input, which changes no sum.
template <int Shift>
DLBENCH_AVX2 inline void transform_columns(const __m128i* rows, __m256i* out) {
  // Even part; half a unit of the result is added here, once for every output.
  const __m256i pairs26 = pairs_of(rows[2], rows[6]);
  const __m256i high = weigh(pairs26, kFix541196100 + kFix765366865, kFix541196100);
  const __m256i low = weigh(pairs26, kFix541196100, kFix541196100 - kFix1847759065);
  const __m256i pairs04 = pairs_of(rows[0], rows[4]);
  const __m256i half = _mm256_set1_epi32(1 << (Shift - 1));
  const __m256i sum = add(weigh(pairs04, 1 << kFractionBits, 1 << kFractionBits), half);
  const __m256i difference = add(weigh(pairs04, 1 << kFractionBits, -(1 << kFractionBits)), half);
  const __m256i even0 = add(sum, high);
  const __m256i even3 = sub(sum, high);
  const __m256i even1 = add(difference, low);
  const __m256i even2 = sub(difference, low);
  // Odd part.
  const __m256i sums = pairs_of(_mm_add_epi16(rows[7], rows[3]), _mm_add_epi16(rows[5], rows[1]));
  const __m256i z3 = weigh(sums, kFix1175875602 - kFix1961570560, kFix1175875602);
  const __m256i z4 = weigh(sums, kFix1175875602, kFix1175875602 - kFix390180644);
  const __m256i pairs71 = pairs_of(rows[7], rows[1]);
  const __m256i pairs53 = pairs_of(rows[5], rows[3]);
  const __m256i odd0 = add(weigh(pairs71, kFix298631336 - kFix899976223, -kFix899976223), z3);
  const __m256i odd3 = add(weigh(pairs71, -kFix899976223, kFix1501321110 - kFix899976223), z4);
  const __m256i odd1 = add(weigh(pairs53, kFix2053119869 - kFix2562915447, -kFix2562915447), z4);
  const __m256i odd2 = add(weigh(pairs53, -kFix2562915447, kFix3072711026 - kFix2562915447), z3);
  out[0] = _mm256_srai_epi32(add(even0, odd3), Shift);
  out[7] = _mm256_srai_epi32(sub(even0, odd3), Shift);
  out[1] = _mm256_srai_epi32(add(even1, odd2), Shift);
  out[6] = _mm256_srai_epi32(sub(even1, odd2), Shift);
  out[2] = _mm256_srai_epi32(add(even2, odd1), Shift);
  out[5] = _mm256_srai_epi32(sub(even2, odd1), Shift);
  out[3] = _mm256_srai_epi32(add(even3, odd0), Shift);
  out[4] = _mm256_srai_epi32(sub(even3, odd0), Shift);
}

/// Packs eight rows of eight 32-bit numbers to 16 bits (saturating) and transposes them.
DLBENCH_AVX2 inline void pack_transposed(const __m256i* r, __m128i* out) {
  __m128i rows[8];
  for (int i = 0; i < 8; i += 2) {
    const __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi32(r[i], r[i + 1]), 0xD8);
    rows[i] = _mm256_castsi256_si128(both);
    rows[i + 1] = _mm256_extracti128_si256(both, 1);
  }
  __m128i pairs[8];
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = _mm_unpacklo_epi16(rows[2 * i], rows[2 * i + 1]);
    pairs[2 * i + 1] = _mm_unpackhi_epi16(rows[2 * i], rows[2 * i + 1]);
  }
  __m128i quads[8];
  for (int i = 0; i < 2; ++i) {
    quads[4 * i] = _mm_unpacklo_epi32(pairs[4 * i], pairs[4 * i + 2]);
    quads[4 * i + 1] = _mm_unpackhi_epi32(pairs[4 * i], pairs[4 * i + 2]);
    quads[4 * i + 2] = _mm_unpacklo_epi32(pairs[4 * i + 1], pairs[4 * i + 3]);
    quads[4 * i + 3] = _mm_unpackhi_epi32(pairs[4 * i + 1], pairs[4 * i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    out[2 * i] = _mm_unpacklo_epi64(quads[i], quads[i + 4]);
    out[2 * i + 1] = _mm_unpackhi_epi64(quads[i], quads[i + 4]);
  }
}

/// Orthonormal 4-point inverse DCT of four columns times sqrt(1/2), so that two passes keep the
/// mean of a block that was transformed with 8 points: x_n = 0.3536 (a0 +- a2) + cosine terms of a1
/// and a3.
DLBENCH_AVX2 inline void inverse_dct_4(__m128* a) {
  const __m128 even = _mm_set1_ps(0.35355339F);       // 1/2 * sqrt(1/2)
  const __m128 odd_long = _mm_set1_ps(0.46193977F);   // cos(pi/8) / 2
  const __m128 odd_short = _mm_set1_ps(0.19134172F);  // cos(3 pi/8) / 2
  const __m128 sum = _mm_mul_ps(even, _mm_add_ps(a[0], a[2]));
  const __m128 difference = _mm_mul_ps(even, _mm_sub_ps(a[0], a[2]));
  const __m128 outer = _mm_add_ps(_mm_mul_ps(odd_long, a[1]), _mm_mul_ps(odd_short, a[3]));
  const __m128 inner = _mm_sub_ps(_mm_mul_ps(odd_short, a[1]), _mm_mul_ps(odd_long, a[3]));
  a[0] = _mm_add_ps(sum, outer);
  a[1] = _mm_add_ps(difference, inner);
  a[2] = _mm_sub_ps(difference, inner);
  a[3] = _mm_sub_ps(sum, outer);
}

DLBENCH_AVX2 inline void inverse_dct_4x4(const JpegBlock& block,
                                         std::uint8_t* out,
                                         std::size_t stride) {
  __m128 a[4];
  for (int i = 0; i < 4; ++i) {
    a[i] = _mm_cvtepi32_ps(_mm_cvtepi16_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(block.values + 8 * i))));
  }
  inverse_dct_4(a);
  _MM_TRANSPOSE4_PS(a[0], a[1], a[2], a[3]);
  inverse_dct_4(a);
  _MM_TRANSPOSE4_PS(a[0], a[1], a[2], a[3]);
  const __m128i middle = _mm_set1_epi32(128);
  __m128i samples[4];
  for (int i = 0; i < 4; ++i) {
    samples[i] = _mm_add_epi32(_mm_cvtps_epi32(a[i]), middle);
  }
  const __m128i bytes = _mm_packus_epi16(_mm_packs_epi32(samples[0], samples[1]),
                                         _mm_packs_epi32(samples[2], samples[3]));
  alignas(16) std::uint8_t block_bytes[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(block_bytes), bytes);
  for (std::size_t row = 0; row < 4; ++row) {
    std::memcpy(out + row * stride, block_bytes + 4 * row, 4);
  }
}

/// 16 colours in 16-bit halves: sums of two products, rounded, shifted right by 16.
DLBENCH_AVX2 inline __m256i weighted(__m256i low_pairs, __m256i high_pairs, __m256i weights) {
  const __m256i half = _mm256_set1_epi32(1 << 15);
  const __m256i low =
      _mm256_srai_epi32(_mm256_add_epi32(_mm256_madd_epi16(low_pairs, weights), half), 16);
  const __m256i high =
      _mm256_srai_epi32(_mm256_add_epi32(_mm256_madd_epi16(high_pairs, weights), half), 16);
  return _mm256_packs_epi32(low, high);
}

DLBENCH_AVX2 inline __m256i weight_pair(int first, int second) {
  return _mm256_set1_epi32((first & 0xffff) | (second * 65536));
}

DLBENCH_AVX2 inline __m128i to_bytes(__m256i values) {
  const __m256i packed = _mm256_packus_epi16(values, values);
  return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08));
}

/// Shuffle mask: byte i of the result is byte first + (i - offset) / 3 of the source where i -
/// offset is a multiple of 3, else zero.
struct alignas(16) InterleaveMask {
  constexpr InterleaveMask(int offset, int first) {
    for (int i = 0; i < 16; ++i) {
      const bool used = i >= offset && (i - offset) % 3 == 0;
      bytes[i] = static_cast<signed char>(used ? first + (i - offset) / 3 : -1);
    }
  }
  signed char bytes[16]{};
};
// Where r, g and b go in the first, second and third 16 bytes of 16 pixels.
constexpr InterleaveMask kRed[3]{{0, 0}, {2, 6}, {1, 11}};
constexpr InterleaveMask kGreen[3]{{1, 0}, {0, 5}, {2, 11}};
constexpr InterleaveMask kBlue[3]{{2, 0}, {1, 5}, {0, 10}};

DLBENCH_AVX2 inline __m128i pick(__m128i values, const InterleaveMask& mask) {
  return _mm_shuffle_epi8(values, _mm_load_si128(reinterpret_cast<const __m128i*>(mask.bytes)));
}

/// Stores 16 pixels r g b r g b ...: 48 bytes.
DLBENCH_AVX2 inline void store_interleaved(__m128i r, __m128i g, __m128i b, std::uint8_t* out) {
  for (int part = 0; part < 3; ++part) {
    const __m128i bytes = _mm_or_si128(_mm_or_si128(pick(r, kRed[part]), pick(g, kGreen[part])),
                                       pick(b, kBlue[part]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16 * part), bytes);
  }
}

DLBENCH_AVX2 inline __m256i load_16(const std::uint8_t* from) {
  return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

}  // namespace

bool jpeg_arithmetic_available() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

DLBENCH_AVX2 void inverse_dct_8x8(const JpegBlock& block, std::uint8_t* out, std::size_t stride) {
  __m128i rows[8];
  for (int i = 0; i < 8; ++i) {
    rows[i] = _mm_load_si128(reinterpret_cast<const __m128i*>(block.values + 8 * i));
  }
  __m256i wide[8];
  __m128i columns[8];
  transform_columns<kFractionBits - 2>(rows, wide);  // two more bits are kept between the passes
  pack_transposed(wide, columns);
  transform_columns<kFractionBits + 2 + 3>(columns, wide);
  pack_transposed(wide, columns);
  const __m128i middle = _mm_set1_epi8(-128);
  for (int i = 0; i < 8; i += 2) {
    const __m128i bytes = _mm_add_epi8(_mm_packs_epi16(columns[i], columns[i + 1]), middle);
    std::uint8_t* row = out + static_cast<std::size_t>(i) * stride;
    _mm_storel_epi64(reinterpret_cast<__m128i*>(row), bytes);
    _mm_storeh_pd(reinterpret_cast<double*>(row + stride), _mm_castsi128_pd(bytes));
  }
}

DLBENCH_AVX2 void inverse_dct_reduced(const JpegBlock& block,
                                      int size,
                                      std::uint8_t* out,
                                      std::size_t stride) {
  const std::int16_t* c = block.values;
  if (size == 1) {
    inverse_dct_constant(c[0], 1, out, stride);
    return;
  }
  if (size == 2) {
    // 2-point transforms: sums and differences of four coefficients, an eighth of each.
    const float scale = 0.125F;
    const auto a = static_cast<float>(c[0]) * scale;
    const auto b = static_cast<float>(c[1]) * scale;
    const auto d = static_cast<float>(c[8]) * scale;
    const auto e = static_cast<float>(c[9]) * scale;
    out[0] = to_sample(a + b + d + e);
    out[1] = to_sample(a - b + d - e);
    out[stride] = to_sample(a + b - d - e);
    out[stride + 1] = to_sample(a - b - d + e);
    return;
  }
  inverse_dct_4x4(block, out, stride);
}

DLBENCH_AVX2 void upsample_chroma_row(const std::uint8_t* near_row,
                                      const std::uint8_t* far_row,
                                      std::size_t width,
                                      std::int16_t* scratch,
                                      std::uint8_t* out) {
  // sums[i] = 3 near + far; one before and one after are the edge's own, which gives the edge
  // samples their rule (4 s + 8) >> 4 and (4 s + 7) >> 4.
  std::int16_t* sums = scratch + 1;
  std::size_t i = 0;
  for (; i + 16 <= width; i += 16) {
    const __m256i n =
        _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(near_row + i)));
    const __m256i f =
        _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(far_row + i)));
    const __m256i sum = _mm256_add_epi16(_mm256_add_epi16(n, _mm256_slli_epi16(n, 1)), f);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + i), sum);
  }
  for (; i < width; ++i) {
    sums[i] = static_cast<std::int16_t>(3 * near_row[i] + far_row[i]);
  }
  sums[-1] = sums[0];
  sums[width] = sums[width - 1];
  const __m256i eight = _mm256_set1_epi16(8);
  const __m256i seven = _mm256_set1_epi16(7);
  for (i = 0; i + 16 <= width; i += 16) {
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + i));
    const __m256i last = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + i - 1));
    const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + i + 1));
    const __m256i three = _mm256_add_epi16(here, _mm256_slli_epi16(here, 1));
    const __m256i even =
        _mm256_srli_epi16(_mm256_add_epi16(_mm256_add_epi16(three, last), eight), 4);
    const __m256i odd =
        _mm256_srli_epi16(_mm256_add_epi16(_mm256_add_epi16(three, next), seven), 4);
    // The even samples in the low bytes, the odd ones in the high bytes.
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 2 * i),
                        _mm256_or_si256(even, _mm256_slli_epi16(odd, 8)));
  }
  for (; i < width; ++i) {
    const int three = 3 * sums[i];
    const std::int16_t* at = sums + i;
    out[2 * i] = static_cast<std::uint8_t>((three + at[-1] + 8) >> 4);
    out[2 * i + 1] = static_cast<std::uint8_t>((three + at[1] + 7) >> 4);
  }
}

DLBENCH_AVX2 void ycc_to_rgb_row(const std::uint8_t* y,
                                 const std::uint8_t* cb,
                                 const std::uint8_t* cr,
                                 std::size_t width,
                                 std::uint8_t* rgb) {
  // With 16 fractional bits, parts of 1 split off so that factors fit 16 bits:
  //   R = Y + 1.40200 Cr            = Y + Cr     + ( 26345 Cr) / 65536
  //   G = Y - 0.34414 Cb - 0.71414 Cr = Y - Cr   + (-22554 Cb + 18734 Cr) / 65536
  //   B = Y + 1.77200 Cb            = Y + 2 Cb   + (-14942 Cb) / 65536
  const __m256i red = weight_pair(0, 26345);
  const __m256i green = weight_pair(-22554, 18734);
  const __m256i blue = weight_pair(-14942, 0);
  const __m256i middle = _mm256_set1_epi16(128);
  for (std::size_t i = 0; i < width; i += 16) {
    const __m256i luma = load_16(y + i);
    const __m256i u = _mm256_sub_epi16(load_16(cb + i), middle);
    const __m256i v = _mm256_sub_epi16(load_16(cr + i), middle);
    const __m256i low = _mm256_unpacklo_epi16(u, v);
    const __m256i high = _mm256_unpackhi_epi16(u, v);
    const __m256i r = _mm256_add_epi16(_mm256_add_epi16(luma, v), weighted(low, high, red));
    const __m256i g = _mm256_add_epi16(_mm256_sub_epi16(luma, v), weighted(low, high, green));
    const __m256i b = _mm256_add_epi16(_mm256_add_epi16(luma, _mm256_slli_epi16(u, 1)),
                                       weighted(low, high, blue));
    store_interleaved(to_bytes(r), to_bytes(g), to_bytes(b), rgb + 3 * i);
  }
}

#undef DLBENCH_AVX2

#else

bool jpeg_arithmetic_available() { return false; }
void inverse_dct_8x8(const JpegBlock&, std::uint8_t*, std::size_t) { DLBENCH_CHECK(false); }
void inverse_dct_reduced(const JpegBlock&, int, std::uint8_t*, std::size_t) {
  DLBENCH_CHECK(false);
}
void upsample_chroma_row(
    const std::uint8_t*, const std::uint8_t*, std::size_t, std::int16_t*, std::uint8_t*) {
  DLBENCH_CHECK(false);
}
void ycc_to_rgb_row(
    const std::uint8_t*, const std::uint8_t*, const std::uint8_t*, std::size_t, std::uint8_t*) {
  DLBENCH_CHECK(false);
}

#endif

}  // namespace dlbench::data::detail
