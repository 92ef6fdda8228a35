// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Marking a range of steps for a profiler that was started beside dlbench:
// `nsys profile -c cudaProfilerApi --kill none dlbench run --capture-steps 20-49 ...`
#pragma once

#include "engine/backend/backend.h"
#include "harness/session/run_guard.h"
#include "harness/trials/arm.h"

#include <cstdint>
#include <functional>
#include <string>

namespace dlbench::harness {

/// Steps first to last, both included, counted from 0.
struct StepRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// "20-49". Throws core::Error(kUsage).
[[nodiscard]] StepRange parse_step_range(const std::string& text);

/// Throws core::Error(kUnavailable) if no profiler can be told of steps on this backend.
void check_capture(const backend::Backend& backend);

/// A repetition of last + 1 steps, in none of the results, of which the profiler sees the range.
/// `listener` hears true before the first of those is made, and false after the last one was.
/// Throws what the arm and the guard throw; the capture is ended all the same.
void capture_steps(Arm& arm,
                   const StepRange& range,
                   backend::Backend& backend,
                   RunGuard& guard,
                   const std::function<void(bool)>& listener = {});

/// The one trial that --capture-trial names. Throws core::Error(kUsage) for an unknown name, or one
/// of several trials.
[[nodiscard]] TrialId captured_trial(const std::string& name);

}  // namespace dlbench::harness
