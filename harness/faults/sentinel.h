// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A small process beside the ranks of a node that outlives them: launchers kill all ranks when one
// dies, so none of them could say who it was. It watches the ranks' processes and the signs of life
// on their board, puts up the first fault, and names it in the report on the disk when rank 0 can
// no longer do so. It ends with the last rank.
#pragma once

#include "harness/faults/hang_rule.h"
#include "harness/faults/status_board.h"

#include <sys/types.h>

namespace dlbench::harness {

/// A sentinel that this process started.
struct StartedSentinel {
  pid_t pid = 0;
  int dismissal = -1;  ///< the event that tells it to go
};

/// Forks the sentinel, into a session of its own and with no open file of the launch, so
/// that neither a launcher's kill nor its wait for pipes reaches it. While the calling process has
/// one thread. Throws core::Error(kUnavailable).
[[nodiscard]] StartedSentinel start_sentinel(StatusBoard& board, const HangLimits& limits);

/// Ends it when all is well, or another one does its work: it takes its leave of those of other
/// nodes. Returns once it is gone.
void dismiss_sentinel(const StartedSentinel& sentinel);

}  // namespace dlbench::harness
