// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Warnings of options that change nothing where they are given.
#pragma once

#include "engine/comm/link_model.h"
#include "harness/commands/run_options.h"
#include "harness/session/session_plan.h"

#include <map>
#include <optional>
#include <string>

namespace dlbench::harness {

/// Warns if a link is to be simulated but delays nothing.
void warn_idle_link(const std::optional<comm::LinkModel>& link, int ranks);

/// Warns on rank 0 of options that change nothing in this plan of `run`:
/// - loader workers that will have nothing to do, `--decode scaled` where no file can be decoded
///   smaller, `--cache cold` of data in memory;
/// - loader options on the command line where nothing that is measured loads; `sources` as in the
///   report's config;
/// - `--sync-loss` of one rank or of a loss that is no ratio, gradient buckets of a single root.
void warn_idle_options(const SessionPlan& plan,
                       const RunOptions& run,
                       const std::map<std::string, std::string>& sources);

}  // namespace dlbench::harness
