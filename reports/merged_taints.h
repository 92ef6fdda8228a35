// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One line where repetitions say the same of their trial.
#pragma once

#include "reports/trial_record.h"

#include <vector>

namespace dlbench::reports {

/// Of the taints of one code and place (a trial with its repetitions is one) that say the same but
/// for figures, the first, with ", and 3 more like it" after its detail where there are others. In
/// order of the first ones.
[[nodiscard]] std::vector<TaintRecord> merged_taints(const std::vector<TaintRecord>& taints);

}  // namespace dlbench::reports
