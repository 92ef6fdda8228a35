// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How long the repetitions of a run may be, and how many, to fit a time budget. Pure logic; when a
// run has measured enough is stopping_rule.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// What planning knows of one trial before its first repetition, from its warm-up.
struct TrialEstimate {
  std::string name;
  double step_s = 0.0;         ///< time of one step or batch
  double setup_s = 0.0;        ///< per repetition, outside the clock: restore state, fill the queue
  std::int64_t min_steps = 1;  ///< per repetition, to say something
  /// A repetition has whole multiples of so many steps: with a loader that is waited for, batches
  /// come in bursts, and a part of a burst counts for too much or too little.
  std::int64_t multiple = 1;
};

/// `steps` in whole multiples, rounded down, but never less than the minimum (rounded up).
[[nodiscard]] std::int64_t whole_steps(const TrialEstimate& estimate, std::int64_t steps);

/// Steps of `step_s` > 0 each beside which a full prefetch queue is small: `least`, or fewer that
/// last a second. The queue fills while the thread that takes the batches waits for a core, which
/// takes milliseconds: what the loader does in them is little of a second.
[[nodiscard]] std::int64_t steps_that_outweigh(std::int64_t least, double step_s);

/// Steps of later repetitions after one of `steps` that lasted `wall_s` > 0 and not `min_s`: as
/// many as would have lasted it and a tenth more, in whole multiples. Never fewer than `steps`.
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
  /// Of --time-budget, after warm-up, >= 0; none: no budget.
  std::optional<double> remaining_s;
};

struct TrialTimePlan {
  std::string name;
  std::int64_t steps = 0;     ///< per repetition
  double repetition_s = 0.0;  ///< estimated, set-up included
};

struct TimePlan {
  std::vector<TrialTimePlan> trials;
  std::int64_t repetitions = 0;   ///< at least: min_repetitions, or fewer of a budget
  double max_time_s = 0.0;        ///< per trial, shortened to the budget
  double shortest_total_s = 0.0;  ///< estimated time of so many repetitions of all trials
  bool shortened = false;         ///< repetitions are shorter than --min-time: taint short_run
  bool fits = true;               ///< false: even the shortest plan exceeds the budget
};

/// Steps per repetition of every trial, their repetitions and the time limit per trial, to fit the
/// budget, which takes steps away first, then repetitions. Estimates must be positive (checked).
[[nodiscard]] TimePlan plan_time(const TimePlanRequest& request);

/// Of a plan that does not fit: what it takes, and what is left for it.
[[nodiscard]] std::string over_budget_text(const TimePlanRequest& request, const TimePlan& plan);

}  // namespace dlbench::harness
