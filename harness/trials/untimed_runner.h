// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Repetitions beside the timed ones, for tracing and profiling, whose cost must not reach a number
// of the report.
#pragma once

#include "harness/session/run_guard.h"
#include "harness/trials/arm.h"
#include "harness/trials/rank_group.h"
#include "harness/trials/runner_hooks.h"
#include "reports/record.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace dlbench::harness {

/// How long a repetition of UntimedRunner::run() is.
struct UntimedLength {
  double min_s = 0.5;
  std::int64_t steps = 1;  ///< and steps at least, as far as max_s allows
  double max_s = 0.0;
  std::int64_t min_steps = 1;  ///< whatever max_s says
  /// Steps before those, of at most min_s seconds (the first is made whatever it lasts): whatever
  /// begins with recording, and the start of the pipeline, is over then.
  std::int64_t settling_steps = 0;
  bool waits_for_settling = false;  ///< the steps that count begin when none of those is on its way
};

/// Who wants to know of an arm in UntimedRunner::run(): before its settling steps, before the first
/// of those that count (settling ones may be on their way, see UntimedLength), when all of them are
/// done. An arm that nobody `wants` makes no step; without it all are wanted.
struct ArmListeners {
  std::function<bool(const TrialId&)> wants;
  std::function<void(const TrialId&)> begin;
  std::function<void(const TrialId&)> begin_steps;
  std::function<void(const TrialId&)> end;
};

class UntimedRunner {
 public:
  /// Group and guard outlive the runner.
  UntimedRunner(RankGroup& ranks, RunGuard& guard, FailureHooks failure = {})
      : ranks_(ranks), guard_(guard), failure_(std::move(failure)) {}

  /// One repetition of every arm. Returns what it came to without the settling steps, by arm (of
  /// one that is not wanted: nothing). Those are in no region of a step. Collective. Throws
  /// core::Error of the arms and of the guard.
  [[nodiscard]] std::vector<reports::RepetitionRecord> run(
      const std::vector<std::unique_ptr<Arm>>& arms,
      const UntimedLength& length,
      const ArmListeners& listeners = {});

 private:
  /// Returns how many of the settling steps are on their way. Collective.
  [[nodiscard]] std::int64_t settle(Arm& arm, const UntimedLength& length);

  RankGroup& ranks_;
  RunGuard& guard_;
  FailureHooks failure_;
};

}  // namespace dlbench::harness
