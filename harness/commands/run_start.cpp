// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/run_start.h"

#include "harness/commands/idle_options.h"
#include "harness/commands/run_record.h"
#include "harness/rank_placement.h"
#include "harness/session/open_device.h"

#include <cstdint>
#include <utility>

namespace dlbench::harness {

StartedRun start_run(const RunOptions& run,
                     const OptionSet& options,
                     const Invocation& invocation,
                     int ranks) {
  apply_verbosity(run);
  reports::RunRecord record =
      start_record(invocation, options, static_cast<std::uint64_t>(run.seed));
  warn_idle_link(session_options(run).link, ranks);
  RankRow row = bind_this_rank(
      invocation.ranks, compute_threads(run), usable_gpus(invocation.ranks, run.session.device));
  return {.record = std::move(record), .placement = std::move(row.placement)};
}

}  // namespace dlbench::harness
