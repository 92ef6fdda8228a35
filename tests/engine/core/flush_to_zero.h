// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether denormal numbers are zero: tried out, not read from a register.
#pragma once

#include <limits>

namespace dlbench::tests {

/// Whether every OpenMP thread of the calling thread turns a denormal result into zero.
inline bool all_threads_flush_to_zero() {
  bool all = true;
#pragma omp parallel reduction(&& : all)
  {
    // Half of the smallest normal number.
    const volatile float smallest = std::numeric_limits<float>::min();
    const volatile float half = smallest * 0.5F;
    all = half == 0.0F;
  }
  return all;
}

}  // namespace dlbench::tests
