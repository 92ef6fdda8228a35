// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of a plan before anything is measured: what casts doubt on it, and what of it will
// have nothing to do.
#pragma once

#include "engine/comm/link_model.h"
#include "harness/rank_placement.h"
#include "harness/session/session_plan.h"
#include "reports/record.h"

#include <optional>
#include <vector>

namespace dlbench::harness {

/// What casts doubt on all that is measured with this plan, known before it is: generated data,
/// simulated storage or link, ranks that share a GPU, a loss of each rank's own samples.
/// Oversubscribed cores are of the launch, see oversubscription().
[[nodiscard]] std::vector<reports::TaintRecord> planned_taints(const SessionPlan& plan);
/// For oversubscription().
[[nodiscard]] CoreUse core_use(const SessionPlan& plan);

/// The taint of a simulated link between `ranks` ranks; none without one, or where it delays
/// nothing.
[[nodiscard]] std::optional<reports::TaintRecord> link_taint(
    const std::optional<comm::LinkModel>& link, int ranks);

/// A line, if a link is to be simulated and delays nothing.
void warn_idle_link(const std::optional<comm::LinkModel>& link, int ranks);

/// Warns of loader workers that will have nothing to do, on rank 0.
void warn_idle_workers(const SessionPlan& plan);

}  // namespace dlbench::harness
