// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The common start of commands that measure steps: run, train and scale.
#pragma once

#include "harness/commands/command.h"
#include "harness/commands/run_options.h"
#include "probes/node/placement.h"
#include "reports/record.h"

namespace dlbench::harness {

struct StartedRun {
  reports::RunRecord record;        ///< by start_record()
  probes::RankPlacement placement;  ///< of this rank, which is bound to it
};

/// Sets the log level, begins the record and binds this rank to its share of the node. `ranks` is
/// the largest number that compute together. Collective.
[[nodiscard]] StartedRun start_run(const RunOptions& run,
                                   const OptionSet& options,
                                   const Invocation& invocation,
                                   int ranks);

}  // namespace dlbench::harness
