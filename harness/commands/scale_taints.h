// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The taints of a run over several sizes, merged into one line where many trials have the same.
#pragma once

#include "harness/commands/plan_taints.h"
#include "harness/scaling/scale_run.h"
#include "reports/trial_record.h"

#include <vector>

namespace dlbench::harness {

/// Taints of these parts known before anything is measured. Where sizes agree, keeps that of the
/// largest.
[[nodiscard]] std::vector<reports::TaintRecord> planned_taints(const ScaleRun& scale,
                                                               const PlannedParts& parts);

/// Taints of the trials so far, on rank 0: one line per trial and kind; repetitions have the rest.
[[nodiscard]] std::vector<reports::TaintRecord> measured_taints(const ScaleRun& scale);

}  // namespace dlbench::harness
