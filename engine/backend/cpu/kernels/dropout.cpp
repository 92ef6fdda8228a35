// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Eight Philox blocks at a time, one per 32-bit lane: the blocks of one sample differ only in the
// first counter word.
#include "engine/backend/cpu/kernels/dropout.h"

#include "engine/backend/cpu/kernels/lanes.h"
#include "engine/backend/cpu/kernels/parallel.h"

#include <algorithm>

namespace dlbench::backend::cpu {
namespace {

/// High and low halves of the products of eight 32-bit lanes and a constant.
struct Product {
  __m256i high;
  __m256i low;
};

inline Product multiply(__m256i a, std::uint32_t constant) {
  const __m256i factor = _mm256_set1_epi32(static_cast<int>(constant));
  const __m256i even = _mm256_mul_epu32(a, factor);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), factor);
  return {_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA),
          _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA)};
}

struct Words {
  __m256i word[4];
};

/// core::philox4x32 on eight counters.
inline Words philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const Product first = multiply(counter.word[0], 0xD2511F53U);
    const Product second = multiply(counter.word[2], 0xCD9E8D57U);
    const __m256i round_key0 = _mm256_set1_epi32(static_cast<int>(key0));
    const __m256i round_key1 = _mm256_set1_epi32(static_cast<int>(key1));
    counter.word[0] = _mm256_xor_si256(_mm256_xor_si256(second.high, counter.word[1]), round_key0);
    counter.word[2] = _mm256_xor_si256(_mm256_xor_si256(first.high, counter.word[3]), round_key1);
    counter.word[1] = second.low;
    counter.word[3] = first.low;
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return counter;
}

/// 1 / (1 - rate) or 0 for the 32 elements of blocks first_block ... first_block + 7, in order.
inline void factors_of(const DropoutKey& key,
                       std::int64_t sample,
                       std::int64_t first_block,
                       float rate,
                       float (&factors)[32]) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const Words random =
      philox({{_mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first_block)), lane),
               _mm256_set1_epi32(key.node),
               _mm256_set1_epi32(static_cast<int>(static_cast<std::uint32_t>(sample))),
               _mm256_set1_epi32(static_cast<int>(static_cast<std::uint32_t>(key.step)))}},
             static_cast<std::uint32_t>(key.seed),
             static_cast<std::uint32_t>(key.seed >> 32U));
  const __m256 keep = _mm256_set1_ps(1.0F / (1.0F - rate));
  __m256 column[4];
  for (int word = 0; word < 4; ++word) {
    const __m256 uniform = _mm256_mul_ps(
        _mm256_cvtepi32_ps(_mm256_srli_epi32(random.word[word], 8)), _mm256_set1_ps(0x1p-24F));
    column[word] = _mm256_and_ps(_mm256_cmp_ps(uniform, _mm256_set1_ps(rate), _CMP_GE_OQ), keep);
  }
  // Transposes four columns of eight blocks to eight rows of four words.
  const __m256 t0 = _mm256_unpacklo_ps(column[0], column[1]);
  const __m256 t1 = _mm256_unpackhi_ps(column[0], column[1]);
  const __m256 t2 = _mm256_unpacklo_ps(column[2], column[3]);
  const __m256 t3 = _mm256_unpackhi_ps(column[2], column[3]);
  const __m256 r0 = _mm256_shuffle_ps(t0, t2, 0x44);  // blocks 0 and 4
  const __m256 r1 = _mm256_shuffle_ps(t0, t2, 0xEE);  // blocks 1 and 5
  const __m256 r2 = _mm256_shuffle_ps(t1, t3, 0x44);  // blocks 2 and 6
  const __m256 r3 = _mm256_shuffle_ps(t1, t3, 0xEE);  // blocks 3 and 7
  _mm256_storeu_ps(factors, _mm256_permute2f128_ps(r0, r1, 0x20));
  _mm256_storeu_ps(factors + 8, _mm256_permute2f128_ps(r2, r3, 0x20));
  _mm256_storeu_ps(factors + 16, _mm256_permute2f128_ps(r0, r1, 0x31));
  _mm256_storeu_ps(factors + 24, _mm256_permute2f128_ps(r2, r3, 0x31));
}

}  // namespace

template <typename T>
void dropout(const DropoutKey& key,
             float rate,
             std::int64_t samples,
             std::int64_t elements,
             const T* x,
             T* y) {
  constexpr std::int64_t kGroup = 32;
  constexpr std::int64_t kGroupsPerTask = 64;
  const std::int64_t groups = (elements + kGroup - 1) / kGroup;
  const std::int64_t tasks = (groups + kGroupsPerTask - 1) / kGroupsPerTask;
  parallel_for(samples * elements > 8192, samples * tasks, [&](std::int64_t i) {
    const std::int64_t sample = i / tasks;
    const std::int64_t first = i % tasks * kGroupsPerTask;
    const std::int64_t last = std::min(groups, first + kGroupsPerTask);
    for (std::int64_t group = first; group < last; ++group) {
      float factors[kGroup];
      factors_of(key, key.first_sample + sample, group * (kGroup / 4), rate, factors);
      const std::int64_t begin = group * kGroup;
      const T* from = x + sample * elements + begin;
      T* to = y + sample * elements + begin;
      sweep(std::min(kGroup, elements - begin), [&](std::int64_t offset, auto size) {
        // A product with 0 would turn an infinity into NaN, so the mask selects instead.
        const Lanes factor = load(factors + offset, FullGroup{});
        store(to + offset, where_positive(factor, load(from + offset, size) * factor), size);
      });
    }
  });
}

template void dropout<float>(
    const DropoutKey&, float, std::int64_t, std::int64_t, const float*, float*);
template void dropout<Bf16>(
    const DropoutKey&, float, std::int64_t, std::int64_t, const Bf16*, Bf16*);

}  // namespace dlbench::backend::cpu
