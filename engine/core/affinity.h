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

/// CPUs that the calling thread may run on, ascending: its affinity mask, which launchers and
/// container runtimes set. Empty if the kernel does not tell.
[[nodiscard]] std::vector<int> affinity_cpus();

/// Restricts `thread` (0: the calling one) to `cpus`, of which there is at least one. Returns 0 or
/// the errno.
int set_affinity(pid_t thread, std::span<const int> cpus);

/// Ids of this process's threads, also those that libraries started. Empty if the kernel does not
/// tell.
[[nodiscard]] std::vector<pid_t> process_threads();

/// Whether each of several processes with these masks finds a CPU that no other needs. Assumes of
/// masks that overlap that one holds the other, as those of launchers and containers do.
[[nodiscard]] bool each_has_a_cpu(std::span<const std::vector<int>> masks);

}  // namespace dlbench::core
