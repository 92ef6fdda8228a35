// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses the trial that represents a number of ranks.
#pragma once

#include "reports/scaling_record.h"

#include <string_view>
#include <vector>

namespace dlbench::reports {

/// Returns the trial with this ScalingTrialRecord::trial; null if there is none.
[[nodiscard]] const ScalingTrialRecord* find_trial(const std::vector<ScalingTrialRecord>& trials,
                                                   std::string_view name);

/// Returns full if it was measured, else synthetic, else the first trial; null if there is none.
[[nodiscard]] const ScalingTrialRecord* headline_trial(
    const std::vector<ScalingTrialRecord>& trials);

}  // namespace dlbench::reports
