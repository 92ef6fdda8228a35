// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Optional hooks of a run around the steps of its trials.
#pragma once

#include "engine/core/error.h"
#include "harness/trials/trial_id.h"
#include "harness/trials/trial_result.h"
#include "probes/probe.h"

#include <functional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Hooks for failing steps.
struct FailureHooks {
  /// Returns what the driver reported about the device since the last call, or since the last
  /// window of a trial ended; empty: nothing.
  std::function<std::string()> device_fault;
  /// Called with the error of a step before anything is unwound: unwinding may take as long as the
  /// device works, and the failure must be known by then.
  std::function<void(const core::Error&)> on_failure;

  /// Calls `steps`; rethrows their error with the device's fault, after on_failure().
  void tell_failure(const std::function<void()>& steps) const { tell_failure(steps, device_fault); }
  /// Takes the fault from `fault`, which queries the device in another way.
  void tell_failure(const std::function<void()>& steps,
                    const std::function<std::string()>& fault) const;
};

struct RunnerHooks {
  FailureHooks failure;  ///< also of steps outside the windows below
  /// Called before each repetition of an arm and before its warm-up: prepares the page cache.
  std::function<void(const TrialId&)> before_repetition;
  /// Called around the timed window of a trial, for the probes. The second one returns the
  /// condition of the device; a fault ends the run with core::Error(kRun).
  std::function<void(const TrialId&)> begin_window;
  std::function<probes::DeviceConditions()> end_window;
  /// Called after every repetition, outside all clocks: writes the partial report.
  std::function<void(const std::vector<TrialResult>&)> after_repetition;
};

}  // namespace dlbench::harness
