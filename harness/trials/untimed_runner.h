// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Repetitions besides the timed ones, for tracing and profiling, whose cost must not affect any
// number of the report.
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

/// The length of a repetition of UntimedRunner::run().
struct UntimedLength {
  double min_s = 0.5;
  std::int64_t steps = 1;  ///< and at least this many steps, as far as max_s allows
  double max_s = 0.0;
  std::int64_t min_steps = 1;  ///< even beyond max_s
  /// Steps before those that count, for at most min_s seconds (but at least one): they absorb the
  /// start of recording and of the pipeline.
  std::int64_t settling_steps = 0;
  bool waits_for_settling = false;  ///< counted steps begin when no settling step is in flight
};

/// Callbacks for an arm in UntimedRunner::run(): before its settling steps, before its first
/// counted step (settling ones may still be in flight, see UntimedLength), and when all steps are
/// done. Without `wants` all arms run; otherwise those that it wants.
struct ArmListeners {
  std::function<bool(const TrialId&)> wants;
  std::function<void(const TrialId&)> begin;
  std::function<void(const TrialId&)> begin_steps;
  std::function<void(const TrialId&)> end;
};

class UntimedRunner {
 public:
  /// Group and guard must outlive the runner.
  UntimedRunner(RankGroup& ranks, RunGuard& guard, FailureHooks failure = {})
      : ranks_(ranks), guard_(guard), failure_(std::move(failure)) {}

  /// Runs one repetition of every arm. Returns its record without the settling steps, by arm (empty
  /// for one that is not wanted). Settling steps are outside step regions. Throws core::Error of
  /// the arms and of the guard. Collective.
  [[nodiscard]] std::vector<reports::RepetitionRecord> run(
      const std::vector<std::unique_ptr<Arm>>& arms,
      const UntimedLength& length,
      const ArmListeners& listeners = {});

 private:
  /// Returns how many of the settling steps are in flight. Collective.
  [[nodiscard]] std::int64_t settle(Arm& arm, const UntimedLength& length);

  RankGroup& ranks_;
  RunGuard& guard_;
  FailureHooks failure_;
};

}  // namespace dlbench::harness
