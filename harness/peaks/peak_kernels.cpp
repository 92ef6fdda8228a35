// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/peak_kernels_internal.h"

#include <algorithm>
#include <iterator>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace dlbench::harness {
namespace {

// A chain x <- x * kFactor + kTerm tends to kTerm / (1 - kFactor) = 1: its numbers stay normal.
constexpr float kFactor = 0.75F;
constexpr float kTerm = 0.25F;
constexpr float kTriadScale = 0.5F;

// Number of chains: a multiply-add takes 4 cycles and two start per cycle, so at least 8 are
// needed; more hide the loop, and all must fit into the registers (16, with AVX-512 32).
constexpr int kBaselineChains = 10;  // a temporary each time: multiply, then add
constexpr int kAvx2Chains = 12;
constexpr int kAvx512Chains = 24;

using Four = float __attribute__((vector_size(16)));

float baseline_multiply_add(std::int64_t rounds, float seed) {
  const Four factor{kFactor, kFactor, kFactor, kFactor};
  const Four term{kTerm, kTerm, kTerm, kTerm};
  Four chain[kBaselineChains];
#pragma GCC unroll 32
  for (int index = 0; index < kBaselineChains; ++index) {
    const float start = seed + static_cast<float>(index);
    chain[index] = Four{start, start, start, start};
  }
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
    for (int index = 0; index < kBaselineChains; ++index) {
      chain[index] = chain[index] * factor + term;
    }
  }
  Four sum = chain[0];
#pragma GCC unroll 32
  for (int index = 1; index < kBaselineChains; ++index) {
    sum += chain[index];
  }
  return sum[0] + sum[1] + sum[2] + sum[3];
}

void copy_regular(float* out, const float* a, const float* /*b*/, std::size_t count) {
  for (std::size_t at = 0; at < count; at += 4) {
    *reinterpret_cast<Four*>(out + at) = *reinterpret_cast<const Four*>(a + at);
  }
}

void triad_regular(float* out, const float* a, const float* b, std::size_t count) {
  const Four scale{kTriadScale, kTriadScale, kTriadScale, kTriadScale};
  for (std::size_t at = 0; at < count; at += 4) {
    *reinterpret_cast<Four*>(out + at) =
        *reinterpret_cast<const Four*>(a + at) + scale * *reinterpret_cast<const Four*>(b + at);
  }
}

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) float avx2_multiply_add(std::int64_t rounds, float seed) {
  const __m256 factor = _mm256_set1_ps(kFactor);
  const __m256 term = _mm256_set1_ps(kTerm);
  __m256 chain[kAvx2Chains];
#pragma GCC unroll 32
  for (int index = 0; index < kAvx2Chains; ++index) {
    chain[index] = _mm256_set1_ps(seed + static_cast<float>(index));
  }
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
    for (int index = 0; index < kAvx2Chains; ++index) {
      chain[index] = _mm256_fmadd_ps(chain[index], factor, term);
    }
  }
  __m256 sum = chain[0];
#pragma GCC unroll 32
  for (int index = 1; index < kAvx2Chains; ++index) {
    sum = _mm256_add_ps(sum, chain[index]);
  }
  return _mm256_cvtss_f32(sum);
}

__attribute__((target("avx512f"))) float avx512_multiply_add(std::int64_t rounds, float seed) {
  const __m512 factor = _mm512_set1_ps(kFactor);
  const __m512 term = _mm512_set1_ps(kTerm);
  __m512 chain[kAvx512Chains];
#pragma GCC unroll 32
  for (int index = 0; index < kAvx512Chains; ++index) {
    chain[index] = _mm512_set1_ps(seed + static_cast<float>(index));
  }
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
    for (int index = 0; index < kAvx512Chains; ++index) {
      chain[index] = _mm512_fmadd_ps(chain[index], factor, term);
    }
  }
  __m512 sum = chain[0];
#pragma GCC unroll 32
  for (int index = 1; index < kAvx512Chains; ++index) {
    sum = _mm512_add_ps(sum, chain[index]);
  }
  return _mm512_cvtss_f32(sum);
}

// chain <- chain + a0 * b0 + a1 * b1 per lane, a = 1 and b = 2^-8: grows slowly, never overflows.
__attribute__((target("avx512f,avx512bf16"))) float avx512_bf16_dot(std::int64_t rounds,
                                                                    float seed) {
  const __m512 one = _mm512_set1_ps(1.0F);
  const __m512 small = _mm512_set1_ps(0.00390625F);
  const __m512bh left = _mm512_cvtne2ps_pbh(one, one);
  const __m512bh right = _mm512_cvtne2ps_pbh(small, small);
  __m512 chain[kAvx512Chains];
#pragma GCC unroll 32
  for (int index = 0; index < kAvx512Chains; ++index) {
    chain[index] = _mm512_set1_ps(seed + static_cast<float>(index));
  }
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
    for (int index = 0; index < kAvx512Chains; ++index) {
      chain[index] = _mm512_dpbf16_ps(chain[index], left, right);
    }
  }
  __m512 sum = chain[0];
#pragma GCC unroll 32
  for (int index = 1; index < kAvx512Chains; ++index) {
    sum = _mm512_add_ps(sum, chain[index]);
  }
  return _mm512_cvtss_f32(sum);
}

// A tile: 16 rows of 64 bytes, which are 16 x 16 sums in f32, or 16 x 32 factors in bf16.
constexpr int kTileRows = 16;
constexpr int kTileRowBytes = 64;
constexpr int kTileFactors = 32;
// Two of the eight tiles hold factors. A product takes 52 cycles and one starts every 16 (Intel's
// optimization manual, chapter 20): four sums at once are enough.
constexpr int kTileChains = 6;

/// The operand of LDTILECFG.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

// chain <- chain + A B of tiles, each sum of 32 products of 1 and 2^-8: grows slowly until it
// saturates, never overflows.
__attribute__((target("amx-tile,amx-bf16,avx512f"))) float amx_bf16_product(std::int64_t rounds,
                                                                            float seed) {
  constexpr std::uint16_t kOne = 0x3f80;
  constexpr std::uint16_t kSmall = 0x3b80;
  TileConfig config;
  for (int tile = 0; tile < kTileChains + 2; ++tile) {
    config.row_bytes[tile] = kTileRowBytes;
    config.rows[tile] = kTileRows;
  }
  alignas(64) std::uint16_t left[kTileRows * kTileFactors];
  alignas(64) std::uint16_t right[kTileRows * kTileFactors];
  alignas(64) float sums[kTileRows * kTileRows];
  std::fill(std::begin(left), std::end(left), kOne);
  std::fill(std::begin(right), std::end(right), kSmall);
  // The compiler believes that the intrinsics read less than they do.
  const auto store_all = [](const void* memory) { asm volatile("" ::"r"(memory) : "memory"); };
  store_all(&config);
  store_all(left);
  store_all(right);
  _tile_loadconfig(&config);
  _tile_loadd(6, left, kTileRowBytes);
  _tile_loadd(7, right, kTileRowBytes);
  // The tile number is part of the instruction, so there is no loop over it.
  const auto start = [&](int chain) {
    std::fill(std::begin(sums), std::end(sums), seed + static_cast<float>(chain));
    store_all(sums);
  };
  start(0);
  _tile_loadd(0, sums, kTileRowBytes);
  start(1);
  _tile_loadd(1, sums, kTileRowBytes);
  start(2);
  _tile_loadd(2, sums, kTileRowBytes);
  start(3);
  _tile_loadd(3, sums, kTileRowBytes);
  start(4);
  _tile_loadd(4, sums, kTileRowBytes);
  start(5);
  _tile_loadd(5, sums, kTileRowBytes);
  for (std::int64_t round = 0; round < rounds; ++round) {
    _tile_dpbf16ps(0, 6, 7);
    _tile_dpbf16ps(1, 6, 7);
    _tile_dpbf16ps(2, 6, 7);
    _tile_dpbf16ps(3, 6, 7);
    _tile_dpbf16ps(4, 6, 7);
    _tile_dpbf16ps(5, 6, 7);
  }
  float sum = 0.0F;
  const auto add = [&] {
    store_all(sums);
    sum += sums[kTileRows * kTileRows - 1];
  };
  _tile_stored(0, sums, kTileRowBytes);
  add();
  _tile_stored(1, sums, kTileRowBytes);
  add();
  _tile_stored(2, sums, kTileRowBytes);
  add();
  _tile_stored(3, sums, kTileRowBytes);
  add();
  _tile_stored(4, sums, kTileRowBytes);
  add();
  _tile_stored(5, sums, kTileRowBytes);
  add();
  _tile_release();
  return sum;
}

/// Whether this process may use tiles: Linux grants their 8 KiB of state on request, once for all
/// threads (Documentation/arch/x86/xstate.rst).
bool may_use_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  constexpr unsigned kBf16 = 1U << 22U;
  constexpr unsigned kTile = 1U << 24U;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kBf16) != 0 &&
         (edx & kTile) != 0 && ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

void copy_stream(float* out, const float* a, const float* /*b*/, std::size_t count) {
  for (std::size_t at = 0; at < count; at += 4) {
    _mm_stream_ps(out + at, _mm_load_ps(a + at));
  }
  _mm_sfence();
}

void triad_stream(float* out, const float* a, const float* b, std::size_t count) {
  const __m128 scale = _mm_set1_ps(kTriadScale);
  for (std::size_t at = 0; at < count; at += 4) {
    _mm_stream_ps(out + at,
                  _mm_add_ps(_mm_load_ps(a + at), _mm_mul_ps(scale, _mm_load_ps(b + at))));
  }
  _mm_sfence();
}

__attribute__((target("avx2,fma"))) void copy_stream_avx2(float* out,
                                                          const float* a,
                                                          const float* /*b*/,
                                                          std::size_t count) {
  for (std::size_t at = 0; at < count; at += 8) {
    _mm256_stream_ps(out + at, _mm256_load_ps(a + at));
  }
  _mm_sfence();
}

__attribute__((target("avx2,fma"))) void triad_stream_avx2(float* out,
                                                           const float* a,
                                                           const float* b,
                                                           std::size_t count) {
  const __m256 scale = _mm256_set1_ps(kTriadScale);
  for (std::size_t at = 0; at < count; at += 8) {
    _mm256_stream_ps(out + at,
                     _mm256_fmadd_ps(scale, _mm256_load_ps(b + at), _mm256_load_ps(a + at)));
  }
  _mm_sfence();
}

__attribute__((target("avx512f"))) void copy_stream_avx512(float* out,
                                                           const float* a,
                                                           const float* /*b*/,
                                                           std::size_t count) {
  for (std::size_t at = 0; at < count; at += 16) {
    _mm512_stream_ps(out + at, _mm512_load_ps(a + at));
  }
  _mm_sfence();
}

__attribute__((target("avx512f"))) void triad_stream_avx512(float* out,
                                                            const float* a,
                                                            const float* b,
                                                            std::size_t count) {
  const __m512 scale = _mm512_set1_ps(kTriadScale);
  for (std::size_t at = 0; at < count; at += 16) {
    _mm512_stream_ps(out + at,
                     _mm512_fmadd_ps(scale, _mm512_load_ps(b + at), _mm512_load_ps(a + at)));
  }
  _mm_sfence();
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

#endif  // defined(__x86_64__)

// A multiply-add counts as two operations; `lanes` of them in each chain.
double flop(int chains, int lanes) { return 2.0 * chains * lanes; }

}  // namespace

std::vector<ComputeKernel> compute_kernels() {
  std::vector<ComputeKernel> kernels{
      {"fp32", "baseline", flop(kBaselineChains, 4), baseline_multiply_add}};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (has_avx2()) {
    kernels.push_back({"fp32", "avx2", flop(kAvx2Chains, 8), avx2_multiply_add});
  }
  if (__builtin_cpu_supports("avx512f") != 0) {
    kernels.push_back({"fp32", "avx512", flop(kAvx512Chains, 16), avx512_multiply_add});
  }
  if (__builtin_cpu_supports("avx512bf16") != 0) {
    kernels.push_back({"bf16", "avx512_bf16", flop(kAvx512Chains, 32), avx512_bf16_dot});
  }
  if (may_use_tiles()) {
    kernels.push_back({"bf16",
                       "amx_bf16",
                       flop(kTileChains, kTileRows * kTileRows * kTileFactors),
                       amx_bf16_product});
  }
#endif
  return kernels;
}

std::vector<MemoryKernel> memory_kernels() {
  std::vector<MemoryKernel> kernels{{"copy", "regular", "baseline", 2, copy_regular},
                                    {"triad", "regular", "baseline", 3, triad_regular}};
#if defined(__x86_64__)
  __builtin_cpu_init();
  kernels.push_back({"copy", "non-temporal", "baseline", 2, copy_stream});
  kernels.push_back({"triad", "non-temporal", "baseline", 3, triad_stream});
  if (has_avx2()) {
    kernels.push_back({"copy", "non-temporal", "avx2", 2, copy_stream_avx2});
    kernels.push_back({"triad", "non-temporal", "avx2", 3, triad_stream_avx2});
  }
  if (__builtin_cpu_supports("avx512f") != 0) {
    kernels.push_back({"copy", "non-temporal", "avx512", 2, copy_stream_avx512});
    kernels.push_back({"triad", "non-temporal", "avx512", 3, triad_stream_avx512});
  }
#endif
  return kernels;
}

}  // namespace dlbench::harness
