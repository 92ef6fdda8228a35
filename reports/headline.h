// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which trial speaks for a number of ranks.
#pragma once

#include "reports/scaling_record.h"

#include <string_view>
#include <vector>

namespace dlbench::reports {

/// The trial of this name, as ScalingTrialRecord::trial has it; null: it is not among them.
[[nodiscard]] const ScalingTrialRecord* find_trial(const std::vector<ScalingTrialRecord>& trials,
                                                   std::string_view name);

/// full where it was measured, else synthetic, else the first; null: there is none.
[[nodiscard]] const ScalingTrialRecord* headline_trial(
    const std::vector<ScalingTrialRecord>& trials);

}  // namespace dlbench::reports
