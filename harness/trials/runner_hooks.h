// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run does or wants to know around the steps of its trials; each may be missing.
#pragma once

#include "engine/core/error.h"
#include "harness/trials/trial_id.h"
#include "harness/trials/trial_result.h"
#include "probes/probe.h"

#include <functional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Of steps that fail.
struct FailureHooks {
  /// What the driver told of the device since it was asked last, or since the last window of a
  /// trial ended; empty: nothing.
  std::function<std::string()> device_fault;
  /// Called with what a step failed with before anything is unwound: that may take as long as the
  /// device works, and the failure is to be known by then.
  std::function<void(const core::Error&)> on_failure;

  /// Calls `steps`; what they fail with is thrown with the device's fault, after on_failure().
  void tell_failure(const std::function<void()>& steps) const { tell_failure(steps, device_fault); }
  /// The fault is what `fault` says, which asks the device in another way.
  void tell_failure(const std::function<void()>& steps,
                    const std::function<std::string()>& fault) const;
};

struct RunnerHooks {
  FailureHooks failure;  ///< of steps outside of the windows below too
  /// Called before each repetition of an arm and before its warm-up: sets the page cache's state.
  std::function<void(const TrialId&)> before_repetition;
  /// Called when a window of a trial is timed: probes begin and end with it. The second one says
  /// how the device fared; a fault ends the run with core::Error(kRun).
  std::function<void(const TrialId&)> begin_window;
  std::function<probes::DeviceConditions()> end_window;
  /// Called after every repetition, outside all clocks: writes the partial report.
  std::function<void(const std::vector<TrialResult>&)> after_repetition;
};

}  // namespace dlbench::harness
