// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Warnings of options that change nothing where they are given.
#pragma once

#include "data/loader/page_cache.h"
#include "engine/comm/link_model.h"
#include "harness/session/session_plan.h"

#include <map>
#include <optional>
#include <string>

namespace dlbench::harness {

/// Warns if a link is to be simulated but delays nothing.
void warn_idle_link(const std::optional<comm::LinkModel>& link, int ranks);

/// Warns on rank 0 of options of the loader that change nothing: workers that will have nothing to
/// do, `--decode scaled` where no file can be decoded smaller, `--cache cold` of data in memory.
void warn_idle_loader_options(const SessionPlan& plan, data::CacheMode cache);

/// Warns on rank 0 of options of the step that change nothing: `--sync-loss` of one rank or of a
/// loss that is no ratio, gradient buckets of a single root.
void warn_idle_step_options(const SessionPlan& plan);

/// Warns on rank 0 of loader options on the command line where nothing loads; `sources` as in the
/// report's config.
void warn_unused_loader_options(const std::map<std::string, std::string>& sources);

}  // namespace dlbench::harness
