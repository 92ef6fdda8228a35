// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Loeffler, Ligtenberg and Moschytz, "Practical fast 1-D DCT algorithms with 11 multiplications"
// (ICASSP 1989), first along the columns, then along the rows. libjpeg saves multiplications; here
// an output is a sum over pairs of inputs, one instruction for each pair: factors have 13
// fractional bits, nothing is rounded within a pass, so the sums are the same.
//
// Within a pass, a register holds two outputs, A and B, for eight columns (in the second pass:
// rows); its lanes of 128 bits are A 0-3, B 0-3, A 4-7, B 4-7, at 32 bits each.
//
// Only writes to the table of functions, one per component, in libjpeg's module. The public way,
// coefficients from jpeg_read_coefficients(), would store a whole picture of them in memory.
#include "data/decoders/jpeg_inverse_dct.h"

#include "data/decoders/avx512_internal.h"
#include "data/decoders/jpeg_blocks_internal.h"
#include "data/decoders/jpeg_modules_internal.h"

#if defined(__x86_64__) && defined(DLBENCH_HAS_JPEG_MODULES)
#define DLBENCH_HAS_JPEG_INVERSE_DCT
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <tuple>

namespace dlbench::data {

#if defined(DLBENCH_HAS_JPEG_INVERSE_DCT)
namespace {

constexpr int kFactorBits = 13;
constexpr int kExtraBits = 2;  // fractional bits between the passes
constexpr int kScaleBits = 3;  // the 2-D transform carries a factor of 8
constexpr int kCentre = 128;

constexpr int fixed(double factor) {
  const double scaled = factor * (1 << kFactorBits);
  return static_cast<int>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

/// The contribution of two inputs to an output.
struct PairFactors {
  int first, second;
};

/// The factors of outputs A and B, in their lanes.
struct alignas(64) LaneFactors {
  std::int16_t values[32]{};

  constexpr LaneFactors(PairFactors a, PairFactors b) {
    for (int i = 0; i < 32; ++i) {
      const PairFactors& factors = i / 8 % 2 == 0 ? a : b;
      values[i] = static_cast<std::int16_t>(i % 2 == 0 ? factors.first : factors.second);
    }
  }
};

/// Inputs 0 and 4, 1 and 5, 2 and 6, 3 and 7 side by side, the same in lanes A and B.
struct InputPairs {
  __m512i of_0_4, of_1_5, of_2_6, of_3_7;
};

/// `left` and `right` hold the pairs of columns 0-3 and 4-7: 0 and 4 in the lowest lane, 3 and 7 in
/// the highest.
DLBENCH_TARGET_AVX512 inline InputPairs spread(__m512i left, __m512i right) {
  return {_mm512_shuffle_i64x2(left, right, 0x00),
          _mm512_shuffle_i64x2(left, right, 0x55),
          _mm512_shuffle_i64x2(left, right, 0xAA),
          _mm512_shuffle_i64x2(left, right, 0xFF)};
}

DLBENCH_TARGET_AVX512 inline __m512i products(__m512i pairs, const LaneFactors& factors) {
  return _mm512_madd_epi16(pairs, _mm512_load_si512(factors.values));
}

DLBENCH_TARGET_AVX512 inline __m512i add_products(__m512i sum,
                                                  __m512i pairs,
                                                  const LaneFactors& factors) {
  return _mm512_dpwssd_epi32(sum, pairs, _mm512_load_si512(factors.values));
}

/// Packs to 16 bits each; a lane has four columns of one output and four of the other.
template <int Shift>
DLBENCH_TARGET_AVX512 inline __m512i pack(__m512i one, __m512i other) {
  return _mm512_packs_epi32(_mm512_srai_epi32(one, Shift), _mm512_srai_epi32(other, Shift));
}

/// Outputs in the order of pack(): A and B are 0 and 1, then 3 and 2; in `lower` 4 and 5, then 7
/// and 6. Smaller transforms repeat theirs.
struct Outputs {
  __m512i upper, lower;
};

/// The transform of jidctint.c, with its constants multiplied out.
struct Transform8 {
  static constexpr int kSize = 8;
  static constexpr int kUnitBits = kFactorBits;
  static constexpr int kUnit = 1 << kUnitBits;
  static constexpr int k0541 = fixed(0.541196100);
  static constexpr int k1175 = fixed(1.175875602);
  static constexpr int k0899 = k1175 - fixed(0.899976223);
  static constexpr int k2562 = k1175 - fixed(2.562915447);
  static constexpr int k1961 = k1175 - fixed(1.961570560);
  static constexpr int k0390 = k1175 - fixed(0.390180644);
  static constexpr LaneFactors kEven04{{kUnit, kUnit}, {kUnit, -kUnit}};
  static constexpr LaneFactors kEven26{{k0541 + fixed(0.765366865), k0541},
                                       {k0541, k0541 - fixed(1.847759065)}};
  // "Outer" is for outputs 0 and 1 (7 and 6), "inner" for 3 and 2 (4 and 5).
  static constexpr LaneFactors kOuter15{{fixed(1.501321110) + k0899 + k0390 - k1175, k0390},
                                        {k1175, k2562}};
  static constexpr LaneFactors kOuter37{{k1175, k0899},
                                        {fixed(3.072711026) + k2562 + k1961 - k1175, k1961}};
  static constexpr LaneFactors kInner15{{k0899, k1175},
                                        {k0390, fixed(2.053119869) + k2562 + k0390 - k1175}};
  static constexpr LaneFactors kInner37{{k1961, fixed(0.298631336) + k0899 + k1961 - k1175},
                                        {k2562, k1175}};

  template <int Shift>
  DLBENCH_TARGET_AVX512 static Outputs apply(const InputPairs& in, int bias) {
    const __m512i sum = add_products(_mm512_set1_epi32(bias), in.of_0_4, kEven04);
    const __m512i rotated = products(in.of_2_6, kEven26);
    const __m512i even_outer = _mm512_add_epi32(sum, rotated);
    const __m512i even_inner = _mm512_sub_epi32(sum, rotated);
    const __m512i odd_outer = add_products(products(in.of_1_5, kOuter15), in.of_3_7, kOuter37);
    const __m512i odd_inner = add_products(products(in.of_1_5, kInner15), in.of_3_7, kInner37);
    return {pack<Shift>(_mm512_add_epi32(even_outer, odd_outer),
                        _mm512_add_epi32(even_inner, odd_inner)),
            pack<Shift>(_mm512_sub_epi32(even_inner, odd_inner),
                        _mm512_sub_epi32(even_outer, odd_outer))};
  }
};

/// The transform of jidctred.c, in which input 4 is unused.
struct Transform4 {
  static constexpr int kSize = 4;
  static constexpr int kUnitBits = kFactorBits + 1;
  static constexpr int kUnit = 1 << kUnitBits;
  static constexpr LaneFactors kEven04{{kUnit, 0}, {kUnit, 0}};
  static constexpr LaneFactors kEven26{{fixed(1.847759065), fixed(-0.765366865)},
                                       {fixed(-1.847759065), fixed(0.765366865)}};
  static constexpr LaneFactors kOdd15{{fixed(2.562915447), fixed(-0.601344887)},
                                      {fixed(1.061594337), fixed(1.451774981)}};
  static constexpr LaneFactors kOdd37{{fixed(0.899976223), fixed(-0.509795579)},
                                      {fixed(-2.172734803), fixed(-0.211164243)}};

  template <int Shift>
  DLBENCH_TARGET_AVX512 static Outputs apply(const InputPairs& in, int bias) {
    const __m512i even =
        add_products(add_products(_mm512_set1_epi32(bias), in.of_0_4, kEven04), in.of_2_6, kEven26);
    const __m512i odd = add_products(products(in.of_1_5, kOdd15), in.of_3_7, kOdd37);
    const __m512i packed = pack<Shift>(_mm512_add_epi32(even, odd), _mm512_sub_epi32(even, odd));
    return {packed, packed};
  }
};

/// The transform of jidctred.c, in which 0 is the only even input used.
struct Transform2 {
  static constexpr int kSize = 2;
  static constexpr int kUnitBits = kFactorBits + 2;
  static constexpr int kHalfUnit = 1 << (kUnitBits - 1);  // the whole has more than 16 bits
  static constexpr LaneFactors kEven04{{kHalfUnit, 0}, {kHalfUnit, 0}};
  static constexpr LaneFactors kOdd15{{fixed(3.624509785), fixed(0.850430095)},
                                      {fixed(-3.624509785), fixed(-0.850430095)}};
  static constexpr LaneFactors kOdd37{{fixed(-1.272758580), fixed(-0.720959822)},
                                      {fixed(1.272758580), fixed(0.720959822)}};

  template <int Shift>
  DLBENCH_TARGET_AVX512 static Outputs apply(const InputPairs& in, int bias) {
    const __m512i even =
        add_products(add_products(_mm512_set1_epi32(bias), in.of_0_4, kEven04), in.of_0_4, kEven04);
    const __m512i odd = add_products(products(in.of_1_5, kOdd15), in.of_3_7, kOdd37);
    const __m512i sum = _mm512_add_epi32(even, odd);
    const __m512i packed = pack<Shift>(sum, sum);
    return {packed, packed};
  }
};

/// For each byte of the result, the index of its source byte.
struct alignas(64) ByteOrder {
  std::array<std::uint8_t, 64> from{};
};

/// Position of output `index` among pack()'s, in units of four: its lane, and its place there.
struct Place {
  int lane, quarter;
};
constexpr Place place_of(int index) {
  return {index % 4 == 1 || index % 4 == 2 ? 1 : 0, index % 4 < 2 ? 0 : 1};
}

/// Permutes four packed rows of eight columns to pairs of columns (i, i + 4) in lane i, as spread()
/// takes them.
constexpr ByteOrder kPairsOfColumns = [] {
  ByteOrder order;
  for (int byte = 0; byte < 64; ++byte) {
    const int row = byte / 4 % 4;
    const int column = byte / 16 + byte / 2 % 2 * 4;
    const Place place = place_of(row);
    const int lane = column / 4 * 2 + place.lane;
    order.from[static_cast<std::size_t>(byte)] =
        static_cast<std::uint8_t>(16 * lane + 8 * place.quarter + column % 4 * 2 + byte % 2);
  }
  return order;
}();

/// Permutes packed columns of `Size` rows, narrowed to bytes, to rows.
template <int Size>
constexpr ByteOrder kRows = [] {
  ByteOrder order;
  for (int byte = 0; byte < Size * Size; ++byte) {
    const int row = byte / Size;
    const int column = byte % Size;
    const Place place = place_of(column % 4);
    const int lane = row / 4 * 2 + place.lane;
    order.from[static_cast<std::size_t>(byte)] =
        static_cast<std::uint8_t>(16 * lane + column / 4 * 8 + 4 * place.quarter + row % 4);
  }
  return order;
}();

DLBENCH_TARGET_AVX512 inline __m512i reorder(__m512i bytes, const ByteOrder& order) {
  return _mm512_permutexvar_epi8(_mm512_load_si512(order.from.data()), bytes);
}

DLBENCH_TARGET_AVX512 inline InputPairs pairs_of_columns(const Outputs& columns) {
  return spread(reorder(columns.upper, kPairsOfColumns), reorder(columns.lower, kPairsOfColumns));
}

/// The coefficients of a block: rows 0 to 3 and 4 to 7.
struct Block {
  __m512i upper, lower;
};

DLBENCH_TARGET_AVX512 inline Block load_block(const JCOEF* coefficients) {
  return {_mm512_loadu_si512(coefficients), _mm512_loadu_si512(coefficients + 32)};
}

/// Whether all coefficients but the first, the mean, are 0, as in most blocks of masks and many of
/// chroma.
DLBENCH_TARGET_AVX512 inline bool is_flat(const Block& block) {
  const __mmask32 upper = _mm512_mask_test_epi16_mask(~1U, block.upper, block.upper);
  return (upper | _mm512_test_epi16_mask(block.lower, block.lower)) == 0;
}

// If the outputs of the first pass are below this limit, nothing overflows, neither here nor in
// libjpeg-turbo's code. Along the columns that code adds two coefficients in 16 bits, and shifts
// the first row's by kExtraBits if the others are 0: coefficients too large for that make some
// output at least twice the limit, as the transform is orthogonal up to its scale. Along the rows
// it adds two outputs in 16 bits. Encoders of 8-bit samples stay below half of the limit.
constexpr int kLimit = 1 << 14;

/// Whether the magnitude of some output of the first pass reaches kLimit.
DLBENCH_TARGET_AVX512 inline bool reaches_limit(const Outputs& outputs) {
  const __m512i sizes =
      _mm512_or_si512(_mm512_abs_epi16(outputs.upper), _mm512_abs_epi16(outputs.lower));
  return _mm512_test_epi16_mask(sizes, _mm512_set1_epi16(-kLimit)) != 0;
}

/// `mean` is already dequantised.
template <int Size>
void fill(int mean, JSAMPARRAY rows, JDIMENSION column) {
  constexpr int kHalf = 1 << (kScaleBits - 1);
  const int sample = ((mean + kHalf) >> kScaleBits) + kCentre;
  const std::uint64_t row =
      std::uint64_t{0x0101'0101'0101'0101} * static_cast<std::uint64_t>(std::clamp(sample, 0, 255));
#pragma GCC unroll 8
  for (int y = 0; y < Size; ++y) {
    std::memcpy(rows[y] + column, &row, Size);
  }
}

/// Dequantises, and pairs rows for the pass along the columns.
DLBENCH_TARGET_AVX512 inline InputPairs pairs_of_rows(const Block& block,
                                                      const UINT16* quantisers) {
  const __m512i upper = _mm512_mullo_epi16(block.upper, _mm512_loadu_si512(quantisers));
  const __m512i lower = _mm512_mullo_epi16(block.lower, _mm512_loadu_si512(quantisers + 32));
  return spread(_mm512_unpacklo_epi16(upper, lower), _mm512_unpackhi_epi16(upper, lower));
}

template <int Size>
DLBENCH_TARGET_AVX512 inline void store(__m512i bytes, JSAMPARRAY rows, JDIMENSION column) {
  const auto put = [&](int y, auto row) { std::memcpy(rows[y] + column, &row, Size); };
  const __m128i first = _mm512_castsi512_si128(bytes);
  if constexpr (Size == 8) {
    const auto put_two = [&](int y, __m128i two) DLBENCH_TARGET_AVX512 {
      put(y, _mm_cvtsi128_si64(two));
      put(y + 1, _mm_extract_epi64(two, 1));
    };
    put_two(0, first);
    put_two(2, _mm512_extracti32x4_epi32(bytes, 1));
    put_two(4, _mm512_extracti32x4_epi32(bytes, 2));
    put_two(6, _mm512_extracti32x4_epi32(bytes, 3));
  } else if constexpr (Size == 4) {
    put(0, _mm_cvtsi128_si32(first));
    put(1, _mm_extract_epi32(first, 1));
    put(2, _mm_extract_epi32(first, 2));
    put(3, _mm_extract_epi32(first, 3));
  } else {
    put(0, _mm_cvtsi128_si32(first));
    put(1, _mm_extract_epi16(first, 1));
  }
}

/// Returns what to add before dropping `shift` bits to round the result and raise it by `centre`.
constexpr int rounding(int shift, int centre = 0) { return (centre << shift) + (1 << (shift - 1)); }

/// Returns false, with nothing written, if a sum may overflow.
template <class Transform>
DLBENCH_TARGET_AVX512 inline bool transform(const JCOEF* coefficients,
                                            const UINT16* quantisers,
                                            JSAMPARRAY rows,
                                            JDIMENSION column) {
  constexpr int kColumnShift = Transform::kUnitBits - kExtraBits;
  constexpr int kRowShift = Transform::kUnitBits + kExtraBits + kScaleBits;
  const Block block = load_block(coefficients);
  if (is_flat(block)) {
    const int mean = int{coefficients[0]} * quantisers[0];
    if (std::abs(mean) >= kLimit >> kExtraBits) {
      return false;
    }
    fill<Transform::kSize>(mean, rows, column);
    return true;
  }
  const Outputs columns = Transform::template apply<kColumnShift>(pairs_of_rows(block, quantisers),
                                                                  rounding(kColumnShift));
  if (reaches_limit(columns)) {
    return false;
  }
  const Outputs samples =
      Transform::template apply<kRowShift>(pairs_of_columns(columns), rounding(kRowShift, kCentre));
  const __m512i bytes = _mm512_packus_epi16(samples.upper, samples.lower);
  store<Transform::kSize>(reorder(bytes, kRows<Transform::kSize>), rows, column);
  return true;
}

/// Matches inverse_DCT_method_ptr.
template <class Transform>
void inverse_dct(j_decompress_ptr info,
                 jpeg_component_info* component,
                 JCOEFPTR coefficients,
                 JSAMPARRAY rows,
                 JDIMENSION column) {
  if (!transform<Transform>(coefficients, component->quant_table->quantval, rows, column)) {
    const auto* dcts = static_cast<const JpegInverseDcts*>(info->client_data);
    const auto replaced =
        reinterpret_cast<inverse_DCT_method_ptr>(dcts->replaced(component->component_index));
    replaced(info, component, coefficients, rows, column);
  }
}

/// Returns null if there is no own transform for blocks of `size` x `size` samples.
inverse_DCT_method_ptr method_for(int size) {
  switch (size) {
    case 8:
      return inverse_dct<Transform8>;
    case 4:
      return inverse_dct<Transform4>;
    case 2:
      return inverse_dct<Transform2>;
    default:
      return nullptr;
  }
}

}  // namespace

void JpegInverseDcts::replace(jpeg_decompress_struct& info) {
  static_assert(std::tuple_size_v<decltype(replaced_)> == MAX_COMPONENTS);
  info.client_data = this;
  if (!has_avx512() || info.dct_method != JDCT_ISLOW) {
    return;
  }
  for (int number = 0; number < info.num_components; ++number) {
    inverse_DCT_method_ptr& method = info.idct->inverse_DCT[number];
    const inverse_DCT_method_ptr ours = method_for(samples_per_block(info.comp_info[number]));
    // Without a table the file has no data for this component.
    if (ours != nullptr && info.comp_info[number].quant_table != nullptr) {
      replaced_[static_cast<std::size_t>(number)] = reinterpret_cast<Method>(method);
      method = ours;
    }
  }
}

#else
void JpegInverseDcts::replace(jpeg_decompress_struct& /*info*/) {}
#endif

}  // namespace dlbench::data
