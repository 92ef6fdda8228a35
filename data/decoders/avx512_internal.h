// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The vector instructions that decoders use if the processor has them, whatever target the build is
// for.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

/// Marks a function that may be called only if has_avx512().
#define DLBENCH_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vnni")))
#endif

namespace dlbench::data {

/// Returns whether this processor has the AVX-512 extensions named in the target above.
[[nodiscard]] inline bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
         __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

}  // namespace dlbench::data
