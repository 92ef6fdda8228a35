// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sixteen f32 lanes, the unit of all own kernels, and loads and stores from f32 and bf16 memory.
// Included only by the kernel sources, which are compiled for AVX2 and FMA.
#pragma once

#include "engine/backend/cpu/kernels/element.h"

#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>

namespace dlbench::backend::cpu {

inline constexpr std::int64_t kLanes = 16;

/// 16 floats in two AVX registers. A struct of two, because GCC keeps a 64-byte vector type in
/// memory when it compiles for AVX2.
struct Lanes {
  __m256 low;
  __m256 high;
};

/// A full group of 16 lanes, or only its first `count` lanes at the end of a row.
struct FullGroup {};
struct PartialGroup {
  std::int64_t count;
};
/// A full group whose result is written to memory bypassing the caches, aligned to 32 bytes. Saves
/// reading the cache line before writing it.
struct StreamGroup {};

inline Lanes broadcast(float value) { return {_mm256_set1_ps(value), _mm256_set1_ps(value)}; }
inline Lanes zero_lanes() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }

inline Lanes operator+(Lanes a, Lanes b) {
  return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}
inline Lanes operator-(Lanes a, Lanes b) {
  return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}
inline Lanes operator*(Lanes a, Lanes b) {
  return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}
inline Lanes operator/(Lanes a, Lanes b) {
  return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
}
/// a * b + c, rounded once.
inline Lanes fused(Lanes a, Lanes b, Lanes c) {
  return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
/// max(a, 0); NaN stays NaN, so that a broken run is noticed.
inline Lanes positive_part(Lanes a) {
  return {_mm256_max_ps(_mm256_setzero_ps(), a.low), _mm256_max_ps(_mm256_setzero_ps(), a.high)};
}
/// value where gate > 0, otherwise 0.
inline Lanes where_positive(Lanes gate, Lanes value) {
  const __m256 zero = _mm256_setzero_ps();
  return {_mm256_and_ps(_mm256_cmp_ps(gate.low, zero, _CMP_GT_OQ), value.low),
          _mm256_and_ps(_mm256_cmp_ps(gate.high, zero, _CMP_GT_OQ), value.high)};
}
inline Lanes smaller(Lanes a, Lanes b) {
  return {_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)};
}
inline Lanes larger(Lanes a, Lanes b) {
  return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
}

inline __m256 widen(__m128i bits) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

/// Rounds to nearest even; NaN stays NaN (as core::f32_to_bf16).
inline __m128i narrow(__m256 value) {
  const __m256i bits = _mm256_castps_si256(value);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
  const __m256i chosen = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, is_nan), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(chosen), _mm256_extracti128_si256(chosen, 1));
}

inline Lanes load(const float* p, FullGroup /*group*/) {
  return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}
inline Lanes load(const Bf16* p, FullGroup /*group*/) {
  return {widen(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))),
          widen(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8)))};
}
template <typename T>
inline Lanes load(const T* p, PartialGroup group) {
  alignas(64) T padded[kLanes] = {};
  std::memcpy(padded, p, static_cast<std::size_t>(group.count) * sizeof(T));
  return load(padded, FullGroup{});
}

template <typename T>
inline Lanes load(const T* p, StreamGroup /*group*/) {
  return load(p, FullGroup{});
}

inline void store(float* p, Lanes value, FullGroup /*group*/) {
  _mm256_storeu_ps(p, value.low);
  _mm256_storeu_ps(p + 8, value.high);
}
inline void store(Bf16* p, Lanes value, FullGroup /*group*/) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), narrow(value.low));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p + 8), narrow(value.high));
}
inline void store(float* p, Lanes value, StreamGroup /*group*/) {
  _mm256_stream_ps(p, value.low);
  _mm256_stream_ps(p + 8, value.high);
}
inline void store(Bf16* p, Lanes value, StreamGroup /*group*/) {
  _mm_stream_si128(reinterpret_cast<__m128i*>(p), narrow(value.low));
  _mm_stream_si128(reinterpret_cast<__m128i*>(p + 8), narrow(value.high));
}
template <typename T>
inline void store(T* p, Lanes value, PartialGroup group) {
  alignas(64) T padded[kLanes];
  store(padded, value, FullGroup{});
  std::memcpy(p, padded, static_cast<std::size_t>(group.count) * sizeof(T));
}

/// What would be read back after storing a value as T.
template <typename T>
inline Lanes as_stored(Lanes value) {
  if constexpr (std::is_same_v<T, Bf16>) {
    return {widen(narrow(value.low)), widen(narrow(value.high))};
  }
  return value;
}

/// Sets the lanes outside a partial group to zero.
inline Lanes valid(Lanes value, FullGroup /*group*/) { return value; }
inline Lanes valid(Lanes value, PartialGroup group) {
  alignas(64) float lanes[kLanes];
  store(lanes, value, FullGroup{});
  for (std::int64_t lane = group.count; lane < kLanes; ++lane) {
    lanes[lane] = 0.0F;
  }
  return load(lanes, FullGroup{});
}

/// Calls body(offset, group) for `count` elements in groups of 16.
template <typename Body>
inline void sweep(std::int64_t count, Body body) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    body(i, FullGroup{});
  }
  if (i < count) {
    body(i, PartialGroup{count - i});
  }
}

/// sweep() for a result at `to`. stream: the result is too large to stay in a cache, and does not
/// overwrite an operand.
template <typename T, typename Body>
inline void sweep_to(const T* to, bool stream, std::int64_t count, Body body) {
  if (!stream || reinterpret_cast<std::uintptr_t>(to) % 32 != 0) {
    sweep(count, body);
    return;
  }
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    body(i, StreamGroup{});
  }
  _mm_sfence();
  if (i < count) {
    body(i, PartialGroup{count - i});
  }
}

inline __m256 exponential(__m256 x) {
  // exp(x) = 2^k exp(r), r = x - k ln 2 in two parts; exp(r) by its Taylor series up to r^6:
  // |r| <= 0.347 leaves 1.2e-7 relative.
  const __m256 bounded =
      _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-87.0F)), _mm256_set1_ps(88.0F));
  const __m256 k = _mm256_round_ps(_mm256_mul_ps(bounded, _mm256_set1_ps(1.44269504F)),
                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m256 r = _mm256_fnmadd_ps(k, _mm256_set1_ps(0.693359375F), bounded);
  r = _mm256_fnmadd_ps(k, _mm256_set1_ps(-2.12194440e-4F), r);
  __m256 p = _mm256_set1_ps(1.0F / 720.0F);
  for (const float coefficient : {1.0F / 120.0F, 1.0F / 24.0F, 1.0F / 6.0F, 0.5F, 1.0F, 1.0F}) {
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(coefficient));
  }
  const __m256i exponent =
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(k), _mm256_set1_epi32(127)), 23);
  const __m256 result = _mm256_mul_ps(p, _mm256_castsi256_ps(exponent));
  return _mm256_blendv_ps(result, x, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

/// e^x per lane, with a relative error below 3e-7 for x in [-87, 88]; saturates outside; NaN stays
/// NaN.
inline Lanes exponential(Lanes x) { return {exponential(x.low), exponential(x.high)}; }

/// Sum of the 16 lanes.
inline float sum_of(Lanes value) {
  alignas(64) float lanes[kLanes];
  store(lanes, value, FullGroup{});
  float sum = 0.0F;
  for (const float lane : lanes) {
    sum += lane;
  }
  return sum;
}

}  // namespace dlbench::backend::cpu
