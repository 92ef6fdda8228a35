// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Marks a range of steps for a profiler that was started together with dlbench:
// `nsys profile -c cudaProfilerApi --kill none dlbench run --capture-steps 20-49 ...`
#pragma once

#include "engine/backend/backend.h"
#include "harness/session/run_guard.h"
#include "harness/trials/arm.h"

#include <cstdint>
#include <functional>
#include <string>

namespace dlbench::harness {

/// The steps first to last, both included, counted from 0.
struct StepRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Parses "20-49". Throws core::Error(kUsage).
[[nodiscard]] StepRange parse_step_range(const std::string& text);

/// Throws core::Error(kUnavailable) if no profiler can be notified of steps on this backend.
void check_capture(const backend::Backend& backend);

/// Runs a repetition of last + 1 steps, not part of any result, of which the profiler records the
/// range. Calls `listener` with true before the first of these steps and with false after the last.
/// Rethrows what the arm and the guard throw, after ending the capture.
void capture_steps(Arm& arm,
                   const StepRange& range,
                   backend::Backend& backend,
                   RunGuard& guard,
                   const std::function<void(bool)>& listener = {});

/// Returns the one trial that --capture-trial names. Throws core::Error(kUsage) for an unknown
/// name, or a name of several trials.
[[nodiscard]] TrialId captured_trial(const std::string& name);

}  // namespace dlbench::harness
