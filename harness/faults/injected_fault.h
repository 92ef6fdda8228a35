// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Deliberate faults for tests: DLBENCH_TEST_FAULT=KIND@RANK:WHEN. WHEN counts the training steps of
// that rank's process, including warm-up; or it is the absolute path of a file, and the fault
// begins with the first step that finds it, as the length of a warm-up is not known beforehand.
#pragma once

#include "engine/exec/model_state.h"

namespace dlbench::harness {

/// Call before every training step of rank `rank`. "hang": never returns in the step in which the
/// fault begins, so the rank does not enter its collectives; "slow": sleeps for 20 ms in that step
/// and all later ones; "nan": returns true in that step, whose parameters must become NaN. Costs
/// one load and one branch without the variable. Throws core::Error(kUsage) for an invalid value.
[[nodiscard]] bool inject_fault(int rank);

/// Makes all parameters NaN.
void poison_parameters(exec::ModelState& state);

}  // namespace dlbench::harness
