// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of --dry-run: the plan of a run, from the graph alone.
#pragma once

#include "harness/session/batch_share.h"
#include "harness/session/session_plan.h"
#include "harness/trials/trial_id.h"
#include "reports/record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Lists every option with its value and where the value came from, one per line.
[[nodiscard]] std::string config_text(const reports::ConfigRecord& config);

/// Lists workload, device, data, trials, parameters, FLOP and planned memory, one per line.
[[nodiscard]] std::string plan_text(SessionPlan& plan, const std::vector<TrialId>& trials);

/// One size that `dlbench scale` would measure.
struct PlannedSize {
  std::string series;  ///< "weak", "strong workers=2"
  int ranks = 1;
  BatchShare batch;               ///< of rank 0
  std::int64_t memory_bytes = 0;  ///< of rank 0
};

/// Lists the sizes, one per line, after a header.
[[nodiscard]] std::string sizes_text(const std::vector<PlannedSize>& sizes);

}  // namespace dlbench::harness
