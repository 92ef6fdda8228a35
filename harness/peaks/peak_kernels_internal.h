// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops that measure peaks: arithmetic that never waits for memory, and memory traffic with
// little computing. Each runs on one thread; peaks.cpp handles threads and clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Independent multiply-add chains held in registers.
struct ComputeKernel {
  std::string precision;  ///< "fp32"; "bf16": products of bf16 pairs, added up in fp32
  std::string isa;        ///< "baseline", "avx2", "avx512", "avx512_bf16", "amx_bf16"
  double flop_per_round = 0.0;
  /// Returns a number that depends on all chains, so that the compiler cannot drop one.
  float (*run)(std::int64_t rounds, float seed) = nullptr;
};

/// One pass over arrays, as in STREAM (McCalpin 1995): copy: out = a; triad: out = a + s * b.
struct MemoryKernel {
  std::string name;    ///< "copy" or "triad"
  std::string stores;  ///< "regular", or "non-temporal": past the caches
  std::string isa;     ///< as above
  int arrays = 2;      ///< counted bytes are arrays * bytes of one, without cache effects
  /// 64-byte aligned arrays; `count` is a multiple of kPeakBlock.
  void (*run)(float* out, const float* a, const float* b, std::size_t count) = nullptr;
};

/// Floats that every memory kernel handles at a time: a cache line.
inline constexpr std::size_t kPeakBlock = 16;

/// Returns the kernels that this processor can run, simplest instruction set first.
[[nodiscard]] std::vector<ComputeKernel> compute_kernels();
[[nodiscard]] std::vector<MemoryKernel> memory_kernels();

}  // namespace dlbench::harness
