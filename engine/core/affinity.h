// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads of this process, and which CPUs (hardware threads, by the kernel's numbers) they may
// run on.
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

namespace dlbench::core {

/// The CPUs that the calling thread may run on, ascending: its affinity mask, which launchers and
/// container runtimes set. Empty if the kernel does not report it.
[[nodiscard]] std::vector<int> affinity_cpus();

/// Restricts `thread` (0: the calling thread) to `cpus`, which must not be empty. Returns 0 or the
/// errno.
int set_affinity(pid_t thread, std::span<const int> cpus);

/// The ids of all threads of this process, including those started by libraries. Empty if the
/// kernel does not report them.
[[nodiscard]] std::vector<pid_t> process_threads();

/// Whether several processes with these affinity masks can each have a CPU of their own. Assumes
/// that of two overlapping masks one contains the other, as launchers and containers set them.
[[nodiscard]] bool each_has_a_cpu(std::span<const std::vector<int>> masks);

}  // namespace dlbench::core
