// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Merges taints of repetitions that say the same about their trial.
#pragma once

#include "reports/trial_record.h"

#include <vector>

namespace dlbench::reports {

/// Groups taints of one code and place (a trial and its repetitions count as one place) whose
/// details differ only in figures. Keeps the first of each group, with ", and 3 more like it"
/// appended if there are others, in order of the first ones.
[[nodiscard]] std::vector<TaintRecord> merged_taints(const std::vector<TaintRecord>& taints);

}  // namespace dlbench::reports
