// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known about a plan before anything is measured: its taints and its use of cores.
#pragma once

#include "engine/comm/link_model.h"
#include "harness/rank_placement.h"
#include "harness/session/session_plan.h"
#include "reports/record.h"

#include <optional>
#include <vector>

namespace dlbench::harness {

/// Which parts of a plan will run.
struct PlannedParts {
  bool loader = true;
  bool step = true;
};

/// Returns the taints of everything measured with these parts of the plan: generated data,
/// simulated storage or link, ranks that share a GPU, a loss of each rank's own samples.
/// Oversubscribed cores are a matter of the launch, see oversubscription().
[[nodiscard]] std::vector<reports::TaintRecord> planned_taints(const SessionPlan& plan,
                                                               const PlannedParts& parts = {});
/// Returns the core use of these parts of the plan for oversubscription().
[[nodiscard]] CoreUse core_use(const SessionPlan& plan, const PlannedParts& parts = {});

/// Returns the taint of a simulated link between `ranks` ranks; nothing without a link, or if it
/// delays nothing.
[[nodiscard]] std::optional<reports::TaintRecord> link_taint(
    const std::optional<comm::LinkModel>& link, int ranks);

}  // namespace dlbench::harness
