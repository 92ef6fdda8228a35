// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/parallel.h"

#include "engine/core/affinity.h"
#include "engine/core/error.h"
#include "tests/engine/core/flush_to_zero.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <pthread.h>

#include <atomic>
#include <cfenv>
#include <csignal>
#include <string>

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

/// Gives the calling thread its treatment of denormals back, for tests after these in one process.
class Parallel : public testing::Test {
 protected:
  Parallel() { std::fegetenv(&environment_); }
  ~Parallel() override { std::fesetenv(&environment_); }

 private:
  std::fenv_t environment_{};
};

TEST_F(Parallel, SetsTheNumberOfThreadsAndFlushToZeroOnAllOfThem) {
  EXPECT_EQ(configure_compute_threads(3), 3);
  EXPECT_EQ(threads_of_a_parallel_region(), 3);
  EXPECT_TRUE(tests::all_threads_flush_to_zero());
}

TEST_F(Parallel, UsesAllCpusOfTheMaskByDefault) {
  const auto cpus = static_cast<int>(affinity_cpus().size());
  EXPECT_EQ(configure_compute_threads(0), cpus);
  EXPECT_EQ(threads_of_a_parallel_region(), cpus);
}

TEST_F(Parallel, LeavesSignalsFromOutsideToTheThreadThatAskedForIt) {
  configure_compute_threads(3);
  std::atomic<int> taken = 0;
  std::atomic<int> own = 0;
#pragma omp parallel
  {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (const int outside : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCONT, SIGXCPU}) {
      taken += sigismember(&blocked, outside) == 0 ? 1 : 0;
    }
    for (const int kept : {SIGSEGV, SIGFPE, SIGABRT, SIGPROF}) {
      own += sigismember(&blocked, kept) == 0 ? 1 : 0;
    }
  }
  EXPECT_EQ(taken, 6) << "by one of three threads";
  EXPECT_EQ(own, 12);
}

TEST_F(Parallel, RefusesAStackThatALibrarysKernelsWouldOverrun) {
  std::string refusal;
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 128 * 1024), 0);
  pthread_t thread{};
  const auto body = [](void* result) -> void* {
    try {
      configure_compute_threads(1);
    } catch (const Error& error) {
      *static_cast<std::string*>(result) = error.what();
    }
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &refusal), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_THAT(refusal, testing::HasSubstr("KiB, and 256 KiB are needed"));
}

}  // namespace
}  // namespace dlbench::core
