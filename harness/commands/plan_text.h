// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What --dry-run prints: the plan of a run, from the graph alone.
#pragma once

#include "harness/trials/session.h"
#include "harness/trials/trial_id.h"
#include "reports/record.h"

#include <string>
#include <vector>

namespace dlbench::harness {

/// Every option with its value and where the value came from, one line each.
[[nodiscard]] std::string config_text(const reports::ConfigRecord& config);

/// Workload, device, data, trials, parameters, FLOP and planned memory, one line each.
[[nodiscard]] std::string plan_text(SessionPlan& plan, const std::vector<TrialId>& trials);

}  // namespace dlbench::harness
