// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the repetitions of profile_arms() take of a time budget: they come last, when it is spent
// but for what was set aside for them.
#pragma once

#include "harness/trials/arm.h"
#include "harness/trials/probe_set.h"
#include "harness/trials/profiling.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dlbench::harness {

/// Repetitions that profile_arms() makes with these: one of each arm for each probe that watches
/// it, or for the timeline alone.
[[nodiscard]] std::int64_t profiled_repetitions(const ProbeSet& probes,
                                                const std::vector<std::unique_ptr<Arm>>& arms,
                                                bool traces);

/// Of a budget, to set aside for so many: what they take where steps are short, a third of the
/// budget at most.
[[nodiscard]] double profiling_share_s(double budget_s, std::int64_t repetitions);

/// Makes repetitions shorter so that `repetitions` of them fit into `left_s`, down to a fifth of a
/// second each. A single step may last longer.
void fit_profiling(double left_s, std::int64_t repetitions, ProfilingRequest& request);

}  // namespace dlbench::harness
