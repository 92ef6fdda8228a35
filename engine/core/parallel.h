// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The OpenMP threads of the host backends: how many there may be, and how they treat denormal
// numbers.
#pragma once

namespace dlbench::core {

/// The cores this process may run on: its affinity mask, which launchers and container runtimes
/// set. At least 1.
[[nodiscard]] int usable_cores();

/// Sets the number of OpenMP threads of parallel regions started by the calling thread and switches
/// flush-to-zero and denormals-are-zero on in each of them. `threads` <= 0: usable_cores().
/// Returns the number set. A step that drifts into denormals would run several times slower and
/// would measure the data instead of the machine.
/// Throws Error(kUnavailable) if OpenMP may not start so many (OMP_THREAD_LIMIT).
/// The floating-point mode belongs to a thread: whoever starts parallel regions calls this first.
int configure_compute_threads(int threads);

/// Flush-to-zero and denormals-are-zero for the calling thread alone. Does nothing where the
/// processor offers no such mode.
void enable_flush_to_zero();

/// Whether every OpenMP thread of the calling thread turns a denormal result into zero: tried out,
/// not read from a register.
[[nodiscard]] bool all_threads_flush_to_zero();

}  // namespace dlbench::core
