// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/parallel.h"

#include "engine/core/affinity.h"
#include "engine/core/error.h"

#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace dlbench::core {
namespace {

constexpr std::size_t kWantedStack = 256 * 1024;  // oneDNN's kernels overran one of 32 KiB
constexpr std::size_t kStackInUse = 64 * 1024;    // of them, before: by arguments and environment

/// Carries the user's setting over the restart.
constexpr const char* kUnusedBinding = "DLBENCH_UNUSED_OPENMP_BINDING";

/// The variable that made the runtime bind its threads: NAME=VALUE.
std::string binding_variable() {
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      return std::string(name) + "=" + value;
    }
  }
  return "OMP_PROC_BIND";
}

/// Blocks signals from outside the process on the calling thread: all except those it causes itself
/// and the timers of profilers.
void block_outside_signals() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int own :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF, SIGVTALRM}) {
    sigdelset(&signals, own);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

/// Bytes of the calling thread's stack; of the process's first thread: to which it may grow.
std::size_t stack_size() {
  pthread_attr_t attributes;
  std::size_t size = SIZE_MAX;  // unknown: not to be refused
  void* lowest = nullptr;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
  }
  return size;
}

/// The processors of all places; empty if the runtime knows of none.
std::vector<int> processors_of_places() {
  std::vector<int> processors;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    processors.insert(processors.end(), ids.begin(), ids.end());
  }
  return processors;
}

}  // namespace

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
  const int count = threads > 0 ? threads : std::max(1, static_cast<int>(affinity_cpus().size()));
  if (count > omp_get_thread_limit()) {
    // Work split for more threads than there are would wait forever for the missing ones.
    throw Error(ErrorCode::kUnavailable,
                std::to_string(count) + " compute threads, but OMP_THREAD_LIMIT allows " +
                    std::to_string(omp_get_thread_limit()) + "; raise it, or give fewer --threads");
  }
  omp_set_dynamic(0);
  omp_set_num_threads(count);
  std::size_t stack = SIZE_MAX;
#pragma omp parallel num_threads(count) reduction(min : stack)
  {
    stack = stack_size();
    enable_flush_to_zero();
    if (omp_get_thread_num() != 0) {
      block_outside_signals();
    }
  }
  if (stack < kWantedStack - kStackInUse) {
    throw Error(ErrorCode::kUnavailable,
                "the stack of a compute thread has " + std::to_string(stack / 1024) + " KiB, and " +
                    std::to_string(kWantedStack / 1024) +
                    " KiB are needed; see ulimit -s and OMP_STACKSIZE");
  }
  return count;
}

void restart_without_openmp_binding(char** argv) {
  const std::vector<int> processors = processors_of_places();
  const char* bind = std::getenv("OMP_PROC_BIND");
  // With a runtime that binds regardless, this would restart forever. A job that inherited only
  // the first variable has not been restarted itself.
  const bool restarted =
      std::getenv(kUnusedBinding) != nullptr && bind != nullptr && std::string(bind) == "false";
  if (omp_get_proc_bind() == omp_proc_bind_false || processors.empty() || restarted) {
    return;
  }
  const std::string binding = binding_variable();
  const std::optional<std::string> bind_before =
      bind != nullptr ? std::optional<std::string>(bind) : std::nullopt;
  set_affinity(0, processors);
  setenv(kUnusedBinding, binding.c_str(), 1);
  setenv("OMP_PROC_BIND", "false", 1);
  execv("/proc/self/exe", argv);
  unsetenv(kUnusedBinding);
  if (bind_before.has_value()) {
    setenv("OMP_PROC_BIND", bind_before->c_str(), 1);
  } else {
    unsetenv("OMP_PROC_BIND");
  }
}

std::string unused_openmp_binding() {
  const char* variable = std::getenv(kUnusedBinding);
  return variable != nullptr ? variable : "";
}

}  // namespace dlbench::core
