// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/transforms/resize_rows.h"

#include "engine/core/check.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#define DLBENCH_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#endif

namespace dlbench::data {
namespace {

void resize_pixels_portable(const std::uint8_t* row,
                            const RowPlan& plan,
                            std::size_t first,
                            std::int16_t* out) {
  out += first * static_cast<std::size_t>(plan.channels);
  for (std::size_t x = first; x < plan.columns.size(); ++x) {
    const ResizeTap& tap = plan.columns[x];
    const bool has_far = static_cast<std::int64_t>(x) < plan.inner;
    for (std::int64_t channel = 0; channel < plan.channels; ++channel) {
      const std::uint8_t* near_pixel = row + tap.index + channel;
      const int far_value = has_far ? near_pixel[plan.channels] * tap.weight_far : 0;
      *out++ = static_cast<std::int16_t>((*near_pixel * tap.weight_near + far_value) >> 4);
    }
  }
}

void resize_row_portable(const std::uint8_t* row, const RowPlan& plan, std::int16_t* out) {
  resize_pixels_portable(row, plan, 0, out);
}

void mix_rows_portable(const std::int16_t* near_row,
                       const std::int16_t* far_row,
                       const ResizeTap& weights,
                       std::size_t count,
                       std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const int sum =
        ((near_row[i] * weights.weight_near) >> 16) + ((far_row[i] * weights.weight_far) >> 16);
    out[i] = static_cast<std::uint8_t>(std::clamp((sum + 2) >> 2, 0, 255));
  }
}

#if defined(__x86_64__)
__attribute__((target("ssse3"))) void resize_row_ssse3(const std::uint8_t* row,
                                                       const RowPlan& plan,
                                                       std::int16_t* out) {
  static_assert(sizeof(ResizeTap) == 8 && offsetof(ResizeTap, weight_near) == 4);
  const ResizeTap* taps = plan.columns.data();
  const auto weights = [&](std::size_t x) {
    std::int32_t pair = 0;
    std::memcpy(&pair, &taps[x].weight_near, sizeof(pair));
    return pair;
  };
  const auto count = static_cast<std::size_t>(plan.inner);
  std::size_t x = 0;
  if (plan.channels == 3) {
    // Bytes r0 g0 b0 r1 g1 b1 of two neighbours become 16-bit pairs (r0 r1) (g0 g1) (b0 b1).
    const __m128i pair_up = _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1);
    const __m128i close_gap = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1);
    const auto mix = [&](std::size_t at) __attribute__((target("ssse3"), always_inline)) {
      const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + taps[at].index));
      const __m128i sums =
          _mm_madd_epi16(_mm_shuffle_epi8(bytes, pair_up), _mm_set1_epi32(weights(at)));
      return _mm_srai_epi32(sums, 4);
    };
    for (; x + 2 <= count; x += 2) {
      const __m128i both = _mm_shuffle_epi8(_mm_packs_epi32(mix(x), mix(x + 1)), close_gap);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 3 * x), both);
    }
  } else {
    const auto pair_at = [&](std::size_t at) {
      std::uint16_t pair = 0;
      std::memcpy(&pair, row + taps[at].index, sizeof(pair));
      return static_cast<int>(pair);
    };
    const auto mix4 = [&](std::size_t at) __attribute__((target("ssse3"), always_inline)) {
      __m128i pairs = _mm_cvtsi32_si128(pair_at(at));
      pairs = _mm_insert_epi16(pairs, pair_at(at + 1), 1);
      pairs = _mm_insert_epi16(pairs, pair_at(at + 2), 2);
      pairs = _mm_insert_epi16(pairs, pair_at(at + 3), 3);
      // Each load has two taps of 8 bytes: keep their upper halves, the weights.
      const auto* tap = reinterpret_cast<const float*>(&taps[at]);
      const __m128 low = _mm_loadu_ps(tap);
      const __m128 high = _mm_loadu_ps(tap + 4);
      const __m128i factors = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
      return _mm_srai_epi32(_mm_madd_epi16(_mm_unpacklo_epi8(pairs, _mm_setzero_si128()), factors),
                            4);
    };
    for (; x + 8 <= count; x += 8) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + x), _mm_packs_epi32(mix4(x), mix4(x + 4)));
    }
  }
  resize_pixels_portable(row, plan, x, out);
}

void mix_rows_sse2(const std::int16_t* near_row,
                   const std::int16_t* far_row,
                   const ResizeTap& weights,
                   std::size_t count,
                   std::uint8_t* out) {
  const __m128i near_weight = _mm_set1_epi16(weights.weight_near);
  const __m128i far_weight = _mm_set1_epi16(weights.weight_far);
  const __m128i two = _mm_set1_epi16(2);
  const auto mix8 = [&](std::size_t at) {
    const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(near_row + at));
    const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(far_row + at));
    const __m128i sum =
        _mm_add_epi16(_mm_mulhi_epi16(a, near_weight), _mm_mulhi_epi16(b, far_weight));
    return _mm_srai_epi16(_mm_add_epi16(sum, two), 2);
  };
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm_packus_epi16(mix8(i), mix8(i + 8)));
  }
  mix_rows_portable(near_row + i, far_row + i, weights, count - i, out + i);
}

template <bool WindowsOf128>
DLBENCH_TARGET_AVX512 void resize_blocks(const std::uint8_t* row,
                                         const RowPlan& plan,
                                         std::int16_t* out) {
  constexpr __mmask64 kLowBytes = 0x5555'5555'5555'5555U;  // of the 16-bit near and far values
  for (const ResizeBlock& block : plan.blocks) {
    const __m512i places = _mm512_load_si512(block.bytes);
    const __m512i low = _mm512_loadu_si512(row + block.window);
    __m512i pairs;
    if constexpr (WindowsOf128) {
      const __m512i high = _mm512_loadu_si512(row + block.window + 64);
      pairs = _mm512_maskz_permutex2var_epi8(kLowBytes, low, places, high);
    } else {
      pairs = _mm512_maskz_permutexvar_epi8(kLowBytes, places, low);
    }
    const __m512i sums =
        _mm512_srai_epi32(_mm512_madd_epi16(pairs, _mm512_load_si512(block.weights)), 4);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi32_epi16(sums));
    out += 16;
  }
}

void resize_row_avx512(const std::uint8_t* row, const RowPlan& plan, std::int16_t* out) {
  if (plan.blocks.empty()) {
    resize_row_ssse3(row, plan, out);
  } else if (plan.windows_of_128) {
    resize_blocks<true>(row, plan, out);
  } else {
    resize_blocks<false>(row, plan, out);
  }
}

DLBENCH_TARGET_AVX512 void mix_rows_avx512(const std::int16_t* near_row,
                                           const std::int16_t* far_row,
                                           const ResizeTap& weights,
                                           std::size_t count,
                                           std::uint8_t* out) {
  const __m512i near_weight = _mm512_set1_epi16(weights.weight_near);
  const __m512i far_weight = _mm512_set1_epi16(weights.weight_far);
  const __m512i two = _mm512_set1_epi16(2);
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m512i a = _mm512_mulhi_epi16(_mm512_loadu_si512(near_row + i), near_weight);
    const __m512i b = _mm512_mulhi_epi16(_mm512_loadu_si512(far_row + i), far_weight);
    const __m512i sum = _mm512_srai_epi16(_mm512_add_epi16(_mm512_add_epi16(a, b), two), 2);
    // Sums are not negative, since pixels and weights are not.
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm512_cvtusepi16_epi8(sum));
  }
  mix_rows_portable(near_row + i, far_row + i, weights, count - i, out + i);
}
#endif

}  // namespace

void plan_blocks(RowPlan& plan) {
  constexpr std::size_t kNumbers = 16;
  const auto channels = static_cast<std::size_t>(plan.channels);
  const std::size_t numbers = plan.columns.size() * channels;
  plan.blocks.resize((numbers + kNumbers - 1) / kNumbers);
  plan.windows_of_128 = false;
  std::size_t number = 0;
  for (ResizeBlock& block : plan.blocks) {
    block.window = plan.columns[number / channels].index;
    for (std::size_t i = 0; i < kNumbers; ++i, ++number) {
      // Behind the row's end its last pixel is repeated; these numbers are not used.
      const std::size_t x = std::min(number / channels, plan.columns.size() - 1);
      const ResizeTap& tap = plan.columns[x];
      const bool has_far = static_cast<std::int64_t>(x) < plan.inner;
      const std::size_t near_place =
          static_cast<std::size_t>(tap.index - block.window) + number % channels;
      const std::size_t far_place = near_place + (has_far ? channels : 0);
      if (far_place >= 128) {
        plan.blocks.clear();
        return;
      }
      plan.windows_of_128 = plan.windows_of_128 || far_place >= 64;
      block.bytes[4 * i] = static_cast<std::uint8_t>(near_place);
      block.bytes[4 * i + 1] = 0;
      block.bytes[4 * i + 2] = static_cast<std::uint8_t>(far_place);
      block.bytes[4 * i + 3] = 0;
      block.weights[2 * i] = tap.weight_near;
      block.weights[2 * i + 1] = tap.weight_far;
    }
  }
}

bool has_isa(ResizeIsa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case ResizeIsa::kPortable:
      return true;
    case ResizeIsa::kSsse3:
      return __builtin_cpu_supports("ssse3") != 0;
    case ResizeIsa::kAvx512:
      return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vbmi") != 0;
  }
#endif
  return isa == ResizeIsa::kPortable;
}

ResizeIsa best_isa() {
  for (const ResizeIsa isa : {ResizeIsa::kAvx512, ResizeIsa::kSsse3}) {
    if (has_isa(isa)) {
      return isa;
    }
  }
  return ResizeIsa::kPortable;
}

RowKernels row_kernels(ResizeIsa isa) {
  DLBENCH_CHECK(has_isa(isa)) << "this processor lacks instruction set " << static_cast<int>(isa);
#if defined(__x86_64__)
  if (isa == ResizeIsa::kAvx512) {
    return {resize_row_avx512, mix_rows_avx512};
  }
  if (isa == ResizeIsa::kSsse3) {
    return {resize_row_ssse3, mix_rows_sse2};
  }
#endif
  return {resize_row_portable, mix_rows_portable};
}

}  // namespace dlbench::data
