// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The cost of the harness itself: the timed loop of every trial around a step that does nothing.
#pragma once

#include "engine/backend/backend.h"
#include "harness/session/run_guard.h"

namespace dlbench::harness {

/// Returns the seconds per step of the runner's timed loop with an executor of an empty graph on
/// this backend: clock reads, step records, checks of `guard`, traversal of the plan. The median of
/// five blocks of 2000 steps. For a graph with work the loop's part is a difference below the
/// variation of its steps, which no run can measure: tests/benchmarks/overhead_benchmark.cpp
/// compares both. Rethrows what the guard throws.
[[nodiscard]] double measure_harness_overhead(backend::Backend& backend, RunGuard& guard);

}  // namespace dlbench::harness
