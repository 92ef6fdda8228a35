// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What casts doubt on a run over several sizes: one line where many of its trials say the same.
#pragma once

#include "harness/scaling/scale_run.h"
#include "reports/trial_record.h"

#include <vector>

namespace dlbench::harness {

/// Known before anything is measured. Of sizes that say the same, that of the largest.
[[nodiscard]] std::vector<reports::TaintRecord> planned_taints(const ScaleRun& scale);

/// Of the trials so far, on rank 0: one line per trial and kind, for the repetitions say the rest.
[[nodiscard]] std::vector<reports::TaintRecord> measured_taints(const ScaleRun& scale);

}  // namespace dlbench::harness
