// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Faults on purpose, for tests: DLBENCH_TEST_FAULT=KIND@RANK:WHEN. WHEN counts the training steps
// of that rank's process, warm-up included; or it is the absolute path of a file, and the fault
// begins with the first step that finds it: how many steps a warm-up takes is not known beforehand.
#pragma once

#include "engine/exec/model_state.h"

namespace dlbench::harness {

/// Called before every training step of rank `rank`. With "hang" the rank never comes back from the
/// step in which the fault begins and never enters its collectives; with "slow" it sleeps for 20 ms
/// in that step and all later ones; with "nan" it returns true in that step: its parameters shall
/// become NaN. Without the variable one load and one branch. Throws core::Error(kUsage) for other
/// words in it.
[[nodiscard]] bool inject_fault(int rank);

/// Makes all parameters NaN.
void poison_parameters(exec::ModelState& state);

}  // namespace dlbench::harness
