// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernel reports about a process that is not our child: whether and how it ended, and
// whether it is stopped.
#pragma once

#include "engine/core/error.h"

#include <sys/types.h>

#include <string>

namespace dlbench::harness {

/// Returns a handle that stays with the process even if its number is reused. -1 if the process is
/// gone or the kernel has no such handles (before Linux 5.3).
[[nodiscard]] int open_process(pid_t pid);
void kill_process(int handle);

struct ProcessEnd {
  /// "was killed by SIGKILL", "exited with code 3"; says so if the kernel does not report it
  /// (before Linux 6.15, once the parent has taken the status).
  std::string how;
  /// kTimeout if it ended itself with that exit code, as a last resort; else kRun.
  core::ErrorCode code = core::ErrorCode::kRun;
};

[[nodiscard]] ProcessEnd process_end(int handle, pid_t pid);

/// Returns the letter of /proc/PID/stat: R, S, D, T (stopped), t (by a debugger), Z; '?' if gone.
[[nodiscard]] char process_state(pid_t pid);

}  // namespace dlbench::harness
