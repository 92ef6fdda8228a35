// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The OpenMP threads of the host backends: how many there may be, and how they treat denormal
// numbers.
#pragma once

#include <string>

namespace dlbench::core {

/// Sets the number of OpenMP threads of parallel regions started by the calling thread and switches
/// flush-to-zero and denormals-are-zero on in each of them: a step that drifts into denormals would
/// run several times slower and would measure the data instead of the machine. `threads` <= 0: one
/// thread for each of affinity_cpus(). Returns the number set.
/// Throws Error(kUnavailable) if OpenMP may not start that many (OMP_THREAD_LIMIT), or if a stack
/// is too small for a library's kernels (ulimit -s, OMP_STACKSIZE).
/// The floating-point mode belongs to a thread: each thread that starts parallel regions calls this
/// first. The threads that OpenMP adds block signals from outside (SIGTERM, SIGCONT, ...): handlers
/// that ran on them within kernels of oneDNN corrupted the heap.
int configure_compute_threads(int threads);

/// Restarts this program under the same process id, with OMP_PROC_BIND=false and on the processors
/// of all places, if the OpenMP runtime has bound its first thread to one place before main()
/// (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY). Otherwise the process would seem to have only
/// one core, and loader threads would inherit that mask. Call first in main(). Returns if nothing
/// is bound, or if the program cannot be restarted.
void restart_without_openmp_binding(char** argv);

/// The binding variable as it was before the restart ("NAME=VALUE"); empty without a restart.
[[nodiscard]] std::string unused_openmp_binding();

/// Switches flush-to-zero and denormals-are-zero on for the calling thread only. Does nothing if
/// the processor offers no such mode.
void enable_flush_to_zero();

}  // namespace dlbench::core
