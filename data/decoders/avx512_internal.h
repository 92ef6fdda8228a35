// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The vector instructions that decoders use where the processor has them, whatever the build is
// for.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

/// Of a function that may be called where has_avx512() alone.
#define DLBENCH_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vnni")))
#endif

namespace dlbench::data {

/// Whether this processor has the extensions of AVX-512 that the target above names.
[[nodiscard]] inline bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
         __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

}  // namespace dlbench::data
