// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The OpenMP threads of the host backends: how many there may be, and how they treat denormal
// numbers.
#pragma once

#include <string>

namespace dlbench::core {

/// Sets the number of OpenMP threads of parallel regions started by the calling thread and switches
/// flush-to-zero and denormals-are-zero on in each of them. `threads` <= 0: one for each of
/// affinity_cpus().
/// Returns the number set. A step that drifts into denormals would run several times slower and
/// would measure the data instead of the machine.
/// Throws Error(kUnavailable) if OpenMP may not start so many (OMP_THREAD_LIMIT).
/// The floating-point mode belongs to a thread: whoever starts parallel regions calls this first.
/// The threads that OpenMP adds take no signal from outside (SIGTERM, SIGCONT, ...): handlers that
/// ran on them within kernels of oneDNN corrupted the heap.
int configure_compute_threads(int threads);

/// Starts this program again, under the same process id, where the OpenMP runtime has bound its
/// first thread to one place before main() (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY): with
/// OMP_PROC_BIND=false and on all the places' processors. Otherwise whatever asks for this
/// process's processors would see one core, and loader threads would inherit it. To be called
/// first in main(); returns where nothing is bound, or where the program cannot be started again.
void restart_without_openmp_binding(char** argv);

/// What OMP_PROC_BIND, or the variable that implied it, said before the restart; empty without one.
[[nodiscard]] std::string unused_openmp_binding();

/// Flush-to-zero and denormals-are-zero for the calling thread alone. Does nothing where the
/// processor offers no such mode.
void enable_flush_to_zero();

}  // namespace dlbench::core
