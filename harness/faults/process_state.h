// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernel says of a process that is not our child: its end, how it ended, whether it is
// stopped.
#pragma once

#include "engine/core/error.h"

#include <sys/types.h>

#include <string>

namespace dlbench::harness {

/// A handle on a process that stays its own when the number is used again. -1 if it is gone or the
/// kernel has no such handles (before Linux 5.3).
[[nodiscard]] int open_process(pid_t pid);
void kill_process(int handle);

struct ProcessEnd {
  /// "was killed by SIGKILL", "exited with code 3"; where the kernel does not tell (before
  /// Linux 6.15, once its parent has taken the status) it says just that.
  std::string how;
  /// kTimeout: it ended itself with that exit code, when nothing else could; else kRun.
  core::ErrorCode code = core::ErrorCode::kRun;
};

[[nodiscard]] ProcessEnd process_end(int handle, pid_t pid);

/// The letter of /proc/PID/stat: R, S, D, T (stopped), t (by a debugger), Z; '?' if it is gone.
[[nodiscard]] char process_state(pid_t pid);

}  // namespace dlbench::harness
