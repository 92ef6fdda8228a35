// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Works in blocks that stay in the first-level cache: for any number of ranks, each source is read
// once from memory and each target written once. Compiled with -O3, which vectorises the loops.
#include "engine/comm/reduce.h"

#include "engine/core/check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace dlbench::comm {
namespace {

constexpr std::size_t kBlock = 2048;                    // elements; f64: 16 KiB
constexpr std::size_t kPrefetch = 2048;                 // distance in bytes
constexpr std::size_t kInCache = std::size_t{1} << 20;  // bytes; up to here prefetching is useless
constexpr std::size_t kMaxStreams = 16;                 // sources that can be read at once well

/// f16 and bf16 as stored in memory.
struct Half {
  std::uint16_t bits;
};
struct BFloat {
  std::uint16_t bits;
};

#if defined(__x86_64__)
bool has_f16c() {
  // Not every compiler's __builtin_cpu_supports() knows f16c; for avx it also asks the system.
  static const bool has = [] {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __builtin_cpu_supports("avx") != 0 && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
           (c & bit_F16C) != 0;
  }();
  return has;
}

__attribute__((target("avx,f16c"))) std::size_t widen_by_eights(const Half* from,
                                                                std::size_t count,
                                                                float* to) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
  return i;
}

__attribute__((target("avx,f16c"))) std::size_t narrow_by_eights(const float* from,
                                                                 std::size_t count,
                                                                 Half* to) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves =
        _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
  return i;
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

__attribute__((target("avx2"))) std::size_t widen_by_eights(const BFloat* from,
                                                            std::size_t count,
                                                            float* to) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i upper = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(upper), 16);
    _mm256_storeu_ps(to + i, _mm256_castsi256_ps(bits));
  }
  return i;
}

// The same rounding as core::f32_to_bf16().
__attribute__((target("avx2"))) std::size_t narrow_by_eights(const float* from,
                                                             std::size_t count,
                                                             BFloat* to) {
  const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
  const __m256i infinity = _mm256_set1_epi32(0x7f800000);
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i bits = _mm256_castps_si256(_mm256_loadu_ps(from + i));
    const __m256i upper = _mm256_srli_epi32(bits, 16);
    const __m256i odd = _mm256_and_si256(upper, _mm256_set1_epi32(1));
    const __m256i half = _mm256_add_epi32(_mm256_set1_epi32(0x7fff), odd);
    const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
    const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
    const __m256i is_nan = _mm256_cmpgt_epi32(_mm256_and_si256(bits, magnitude), infinity);
    const __m256i words = _mm256_blendv_epi8(rounded, quiet, is_nan);
    const __m128i packed =
        _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), packed);
  }
  return i;
}
#else
bool has_avx2() { return false; }
std::size_t widen_by_eights(const BFloat*, std::size_t, float*) { return 0; }
std::size_t narrow_by_eights(const float*, std::size_t, BFloat*) { return 0; }
bool has_f16c() { return false; }
std::size_t widen_by_eights(const Half*, std::size_t, float*) { return 0; }
std::size_t narrow_by_eights(const float*, std::size_t, Half*) { return 0; }
#endif

// widen(): a block as numbers to compute with: unchanged if they already are, otherwise in `room`.

template <typename T>
const T* widen(const T* from, std::size_t /*count*/, T* /*room*/) {
  return from;
}

const float* widen(const Half* from, std::size_t count, float* room) {
  std::size_t i = has_f16c() ? widen_by_eights(from, count, room) : 0;
  for (; i < count; ++i) {
    room[i] = core::f16_to_f32(from[i].bits);
  }
  return room;
}

const float* widen(const BFloat* from, std::size_t count, float* room) {
  std::size_t i = has_avx2() ? widen_by_eights(from, count, room) : 0;
  for (; i < count; ++i) {
    room[i] = core::bf16_to_f32(from[i].bits);
  }
  return room;
}

template <typename T>
void narrow(const T* from, std::size_t count, T* to) {
  std::memcpy(to, from, count * sizeof(T));
}

void narrow(const float* from, std::size_t count, Half* to) {
  std::size_t i = has_f16c() ? narrow_by_eights(from, count, to) : 0;
  for (; i < count; ++i) {
    to[i].bits = core::f32_to_f16(from[i]);
  }
}

void narrow(const float* from, std::size_t count, BFloat* to) {
  std::size_t i = has_avx2() ? narrow_by_eights(from, count, to) : 0;
  for (; i < count; ++i) {
    to[i].bits = core::f32_to_bf16(from[i]);
  }
}

template <typename T>
void combine(const T* values, std::size_t count, ReduceOp op, T* result) {
  if (op == ReduceOp::kSum) {
    for (std::size_t i = 0; i < count; ++i) {
      result[i] += values[i];
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const T kept = result[i];
    result[i] = kept > values[i] || kept != kept ? kept : values[i];
  }
}

/// Sums in registers, reading all sources in parallel, for types T that are stored as they are
/// added. Returns how many elements were summed; the rest is less than a group.
template <typename T>
std::size_t sum_groups(std::span<const std::byte* const> sources,
                       std::span<std::byte* const> targets,
                       std::size_t count) {
  using Line [[gnu::vector_size(64), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
  constexpr std::size_t kGroup = 2 * sizeof(Line);  // bytes
  const std::size_t bytes = count * sizeof(T) / kGroup * kGroup;
  for (std::size_t at = 0; at < bytes; at += kGroup) {
    Line first = *reinterpret_cast<const Line*>(sources[0] + at);
    Line second = *reinterpret_cast<const Line*>(sources[0] + at + sizeof(Line));
    // The processor's own prefetching stops at every page; at the end these prefetches are wasted.
    for (const std::byte* source : sources) {
      __builtin_prefetch(source + at + kPrefetch);
      __builtin_prefetch(source + at + kPrefetch + sizeof(Line));
    }
    for (const std::byte* source : sources.subspan(1)) {
      first += *reinterpret_cast<const Line*>(source + at);
      second += *reinterpret_cast<const Line*>(source + at + sizeof(Line));
    }
    for (std::byte* target : targets) {
      *reinterpret_cast<Line*>(target + at) = first;
      *reinterpret_cast<Line*>(target + at + sizeof(Line)) = second;
    }
  }
  return bytes / sizeof(T);
}

/// reduce_elements() for elements stored as `Stored` and computed as `Number`.
template <typename Stored, typename Number>
void reduce_as(std::span<const std::byte* const> sources,
               std::span<std::byte* const> targets,
               std::size_t count,
               ReduceOp op) {
  alignas(64) std::array<Number, kBlock> result;
  alignas(64) std::array<Number, kBlock> room;
  std::size_t begin = 0;
  if constexpr (std::is_same_v<Stored, Number>) {
    const bool in_cache = count * sources.size() * sizeof(Number) <= kInCache;
    if (op == ReduceOp::kSum && !in_cache && sources.size() <= kMaxStreams) {
      begin = sum_groups<Number>(sources, targets, count);
    }
  }
  for (; begin < count; begin += kBlock) {
    const std::size_t length = std::min(kBlock, count - begin);
    const auto block = [&](std::size_t source) {
      return widen(reinterpret_cast<const Stored*>(sources[source]) + begin, length, room.data());
    };
    std::memcpy(result.data(), block(0), length * sizeof(Number));
    for (std::size_t source = 1; source < sources.size(); ++source) {
      combine(block(source), length, op, result.data());
    }
    for (std::byte* target : targets) {
      narrow(result.data(), length, reinterpret_cast<Stored*>(target) + begin);
    }
  }
}

}  // namespace

std::span<const core::DType> reducible_dtypes() {
  using core::DType;
  static constexpr std::array kReducible{
      DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI32, DType::kI64};
  return kReducible;
}

bool can_reduce(core::DType dtype) {
  const std::span<const core::DType> all = reducible_dtypes();
  return std::find(all.begin(), all.end(), dtype) != all.end();
}

void reduce_elements(std::span<const std::byte* const> sources,
                     std::span<std::byte* const> targets,
                     std::size_t count,
                     core::DType dtype,
                     ReduceOp op) {
  DLBENCH_CHECK(!sources.empty() && can_reduce(dtype)) << "reduction of " << core::name(dtype);
  switch (dtype) {
    case core::DType::kF32:
      return reduce_as<float, float>(sources, targets, count, op);
    case core::DType::kF64:
      return reduce_as<double, double>(sources, targets, count, op);
    case core::DType::kF16:
      return reduce_as<Half, float>(sources, targets, count, op);
    case core::DType::kBF16:
      return reduce_as<BFloat, float>(sources, targets, count, op);
    case core::DType::kI32:
      return reduce_as<std::int32_t, std::int32_t>(sources, targets, count, op);
    default:
      return reduce_as<std::int64_t, std::int64_t>(sources, targets, count, op);
  }
}

}  // namespace dlbench::comm
