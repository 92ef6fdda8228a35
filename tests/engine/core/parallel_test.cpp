// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/parallel.h"

#include "engine/core/affinity.h"
#include "tests/engine/core/flush_to_zero.h"

#include <gtest/gtest.h>
#include <omp.h>

namespace dlbench::core {
namespace {

int threads_of_a_parallel_region() {
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
  }
  return threads;
}

TEST(Parallel, SetsTheNumberOfThreadsAndFlushToZeroOnAllOfThem) {
  EXPECT_EQ(configure_compute_threads(3), 3);
  EXPECT_EQ(threads_of_a_parallel_region(), 3);
  EXPECT_TRUE(tests::all_threads_flush_to_zero());
}

TEST(Parallel, UsesAllCpusOfTheMaskByDefault) {
  const auto cpus = static_cast<int>(affinity_cpus().size());
  EXPECT_EQ(configure_compute_threads(0), cpus);
  EXPECT_EQ(threads_of_a_parallel_region(), cpus);
}

}  // namespace
}  // namespace dlbench::core
