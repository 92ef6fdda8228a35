// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/parallel.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

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
  EXPECT_TRUE(all_threads_flush_to_zero());
}

TEST(Parallel, UsesAllUsableCoresByDefault) {
  EXPECT_EQ(configure_compute_threads(0), usable_cores());
  EXPECT_EQ(threads_of_a_parallel_region(), usable_cores());
}

TEST(Parallel, UsableCoresFollowTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) {
    ++first;
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(usable_cores(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace dlbench::core
