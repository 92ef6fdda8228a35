// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A small process on each node that outlives the ranks: launchers kill all ranks when one dies, so
// that none of them could report which it was. It watches the ranks' processes and their signs of
// life on the board, posts the first fault, and names it in the report on disk when rank 0 no
// longer can. It ends with the last rank.
#pragma once

#include "harness/faults/hang_rule.h"
#include "harness/faults/status_board.h"

#include <sys/types.h>

namespace dlbench::harness {

/// A sentinel that this process started.
struct StartedSentinel {
  pid_t pid = 0;
  int dismissal = -1;  ///< event that makes it end
};

/// Forks the sentinel, into a session of its own and without open files of the launch, so that
/// neither the launcher's kill nor its wait for pipes reaches it. The calling process must have one
/// thread. Throws core::Error(kUnavailable).
[[nodiscard]] StartedSentinel start_sentinel(StatusBoard& board, const HangLimits& limits);

/// Ends the sentinel when all is well or another one takes over: it says goodbye to the sentinels
/// of other nodes. Returns once it is gone.
void dismiss_sentinel(const StartedSentinel& sentinel);

}  // namespace dlbench::harness
