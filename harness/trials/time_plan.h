// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans the length and number of a run's repetitions to fit a time budget. Pure logic;
// stopping_rule.h decides when a run has measured enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// What the warm-up tells about one trial before its first repetition.
struct TrialEstimate {
  std::string name;
  double step_s = 0.0;         ///< time of one step or batch
  double setup_s = 0.0;        ///< per repetition, outside the clock: restore state, fill the queue
  std::int64_t min_steps = 1;  ///< per repetition, for a meaningful rate
  /// A repetition has a multiple of this many steps: while waiting for a loader, batches come in
  /// bursts, and a part of a burst would distort the rate.
  std::int64_t multiple = 1;
};

/// Rounds `steps` down to a multiple, but not below the minimum (rounded up).
[[nodiscard]] std::int64_t whole_steps(const TrialEstimate& estimate, std::int64_t steps);

/// Returns how many steps of `step_s` > 0 make a full prefetch queue negligible: `least`, or fewer
/// that last a second. The queue fills during the milliseconds in which the consumer thread waits
/// for a core; what the loader does then is little compared to a second.
[[nodiscard]] std::int64_t steps_that_outweigh(std::int64_t least, double step_s);

/// Returns the steps of later repetitions after one of `steps` lasted `wall_s` > 0: if that is
/// below `min_s`, as many as last min_s and a tenth more, in multiples. Never fewer than `steps`.
[[nodiscard]] std::int64_t lengthened_steps(const TrialEstimate& estimate,
                                            std::int64_t steps,
                                            double wall_s,
                                            double min_s);

struct TimePlanRequest {
  std::vector<TrialEstimate> trials;
  std::int64_t min_repetitions = 5;
  std::int64_t min_repetitions_on_budget = 2;  ///< where a budget allows no more
  double min_time_s = 1.0;                     ///< --min-time, per repetition
  double max_time_s = 60.0;                    ///< --max-time, per trial
  std::optional<std::int64_t> steps;           ///< --steps: exactly so many per repetition
  /// Rest of --time-budget after warm-up, >= 0; nothing: no budget.
  std::optional<double> remaining_s;
};

struct TrialTimePlan {
  std::string name;
  std::int64_t steps = 0;     ///< per repetition
  double repetition_s = 0.0;  ///< estimated, set-up included
};

struct TimePlan {
  std::vector<TrialTimePlan> trials;
  std::int64_t repetitions = 0;   ///< at least: min_repetitions, or fewer to fit a budget
  double max_time_s = 0.0;        ///< per trial, shortened to the budget
  double shortest_total_s = 0.0;  ///< estimated time of that many repetitions of all trials
  bool shortened = false;         ///< repetitions are shorter than --min-time: taint short_run
  bool fits = true;               ///< false: even the shortest plan exceeds the budget
};

/// Returns steps per repetition of every trial, repetitions and time limit per trial. To fit the
/// budget, drops steps first, then repetitions. Estimates must be positive (checked).
[[nodiscard]] TimePlan plan_time(const TimePlanRequest& request);

/// Says, for a plan that does not fit, how long it takes and how much time is left.
[[nodiscard]] std::string over_budget_text(const TimePlanRequest& request, const TimePlan& plan);

}  // namespace dlbench::harness
