// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How kernels use threads. Included only by the kernel sources.
#pragma once

#include <omp.h>

#include <cstdint>

namespace dlbench::backend::cpu {

/// Runs body() on all threads if that is worthwhile, otherwise on the calling thread. Loops in it
/// are divided by `#pragma omp for`, which outside a region is an ordinary loop.
///
/// Not `#pragma omp parallel if (worthwhile)`: for a region of one thread libgomp allocates and
/// frees a team each time, whereas it keeps the team of all threads.
template <typename Body>
inline void in_parallel(bool worthwhile, Body body) {
  if (worthwhile && omp_get_max_threads() > 1) {
#pragma omp parallel
    body();
  } else {
    body();
  }
}

/// Runs body(index) for each index in [0, count): on all threads if that is worthwhile, each with a
/// range of its own; otherwise on the calling thread.
template <typename Body>
inline void parallel_for(bool worthwhile, std::int64_t count, Body body) {
  in_parallel(worthwhile, [&] {
#pragma omp for schedule(static) nowait
    for (std::int64_t index = 0; index < count; ++index) {
      body(index);
    }
  });
}

/// The sum of part(index) over all indices in [0, count), computed as by parallel_for(). Sum starts
/// at Sum{} and needs +=.
template <typename Sum, typename Part>
inline Sum parallel_sum(bool worthwhile, std::int64_t count, Part part) {
  Sum total{};
  in_parallel(worthwhile, [&] {
    Sum of_thread{};
#pragma omp for schedule(static) nowait
    for (std::int64_t index = 0; index < count; ++index) {
      of_thread += part(index);
    }
#pragma omp critical(dlbench_parallel_sum)
    total += of_thread;
  });
  return total;
}

}  // namespace dlbench::backend::cpu
