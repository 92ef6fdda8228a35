// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The time budget of profile_arms(): its repetitions come last, when only the time reserved for
// them is left.
#pragma once

#include "harness/trials/arm.h"
#include "harness/trials/probe_set.h"
#include "harness/trials/profiling.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dlbench::harness {

/// Returns how many repetitions profile_arms() makes: one of each arm for each probe that watches
/// it, or for the timeline alone.
[[nodiscard]] std::int64_t profiled_repetitions(const ProbeSet& probes,
                                                const std::vector<std::unique_ptr<Arm>>& arms,
                                                bool traces);

/// Returns the part of a budget to reserve for that many repetitions: their time if steps are
/// short, at most a third of the budget.
[[nodiscard]] double profiling_share_s(double budget_s, std::int64_t repetitions);

/// Shortens repetitions so that `repetitions` of them fit into `left_s`, down to a fifth of a
/// second each. A single step may last longer.
void fit_profiling(double left_s, std::int64_t repetitions, ProfilingRequest& request);

}  // namespace dlbench::harness
