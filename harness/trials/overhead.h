// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the harness itself costs: the timed loop of every trial around a step that does nothing.
#pragma once

#include "engine/backend/backend.h"
#include "harness/session/run_guard.h"

namespace dlbench::harness {

/// Seconds per step of the runner's timed loop with an executor of an empty graph on this backend:
/// clock reads, step records, checks of `guard`, walk of the plan. The median of five blocks of
/// 2000 steps. Of a graph with work the loop's part is a difference that is below what the steps
/// vary by: no matter of a run, tests/benchmarks/overhead_benchmark.cpp compares both. Throws what
/// the guard throws.
[[nodiscard]] double measure_harness_overhead(backend::Backend& backend, RunGuard& guard);

}  // namespace dlbench::harness
