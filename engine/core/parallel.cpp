// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/parallel.h"

#include "engine/core/error.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <limits>
#include <string>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace dlbench::core {
namespace {

/// Half of the smallest normal number: zero under flush-to-zero, a denormal otherwise.
bool this_thread_flushes_to_zero() {
  volatile float smallest = std::numeric_limits<float>::min();
  volatile float half = smallest * 0.5F;
  return half == 0.0F;
}

}  // namespace

int usable_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    return std::max(1, CPU_COUNT(&mask));
  }
  // More processors than cpu_set_t has bits.
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void enable_flush_to_zero() {
#if defined(__x86_64__)
  constexpr unsigned int kFlushToZero = 0x8000U;     // MXCSR bit 15
  constexpr unsigned int kDenormalsAreZero = 0x40U;  // MXCSR bit 6
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
#elif defined(__aarch64__)
  unsigned long control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  control |= 1UL << 24U;  // FZ
  asm volatile("msr fpcr, %0" : : "r"(control));
#endif
}

int configure_compute_threads(int threads) {
  const int count = threads > 0 ? threads : usable_cores();
  if (count > omp_get_thread_limit()) {
    // Work that is cut for more threads than there are would wait for the others for ever.
    throw Error(ErrorCode::kUnavailable,
                std::to_string(count) + " compute threads, but OMP_THREAD_LIMIT allows " +
                    std::to_string(omp_get_thread_limit()) + "; raise it, or give fewer --threads");
  }
  omp_set_dynamic(0);
  omp_set_num_threads(count);
#pragma omp parallel num_threads(count)
  { enable_flush_to_zero(); }
  return count;
}

bool all_threads_flush_to_zero() {
  bool all = true;
#pragma omp parallel reduction(&& : all)
  { all = this_thread_flushes_to_zero(); }
  return all;
}

}  // namespace dlbench::core
