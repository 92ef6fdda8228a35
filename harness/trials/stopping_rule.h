// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// When a run has measured enough, and how long its repetitions may be to fit a time budget. Pure
// logic: the trial runner measures and asks. Warm-up is steady_state.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::harness {

struct StoppingLimits {
  std::int64_t min_repetitions = 5;     ///< --repetitions
  double max_noise = 0.01;              ///< --max-noise as a share: half-width / mean
  double max_time_s = 60.0;             ///< --max-time, per trial
  std::int64_t max_repetitions = 1000;  ///< a bound on memory; never reached in practice
};

/// What one trial has so far.
struct TrialProgress {
  std::string name;
  std::vector<double> samples_per_second;  ///< of the repetitions that count
  double elapsed_s = 0.0;                  ///< of all its repetitions, discarded ones included
};

/// Relative half-width of one trial's 95 % interval.
struct TrialNoise {
  std::string name;
  std::optional<double> half_width;  ///< share of the mean; none below 2 repetitions
  bool target_met = false;
};

enum class StopReason { kNotYet, kNoiseTarget, kTimeLimit, kRepetitionLimit };

struct StopDecision {
  StopReason reason = StopReason::kNotYet;
  std::vector<TrialNoise> noise;  ///< in the order asked
  [[nodiscard]] bool stop() const { return reason != StopReason::kNotYet; }
};

/// What ended a run before every interval was narrow enough, and how wide the widest is; empty: all
/// are. `budget_spent`: --time-budget was the limit.
[[nodiscard]] std::string missed_noise_text(const StopDecision& decision,
                                            bool budget_spent,
                                            const StoppingLimits& limits);

/// Decides after each round for all trials of a run together.
///
/// Precision is looked at only when every trial has a number of repetitions on a list fixed
/// beforehand (5, 10, 14, 20, 28, 40, ...; each about sqrt(2) times the one before): stopping at
/// the first narrow interval would make the interval cover less than it says. Time limits do not
/// look at the data and act after any round with at least min_repetitions.
class StoppingRule {
 public:
  /// Throws Error(kUsage) for limits that are not positive.
  explicit StoppingRule(StoppingLimits limits);

  /// Is precision looked at when every trial has `n` repetitions that count?
  [[nodiscard]] bool looks_at(std::int64_t n) const;

  /// The next count above `n` at which precision is looked at.
  [[nodiscard]] std::int64_t next_look(std::int64_t n) const;

  /// The decision after a round. `trials` not empty (checked).
  [[nodiscard]] StopDecision decide(std::span<const TrialProgress> trials) const;

 private:
  StoppingLimits limits_;
};

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

/// Steps of later repetitions after one of `steps` that lasted `wall_s` > 0 and not `least_s`: as
/// many as would have lasted it and a tenth more, in whole multiples. Never fewer than `steps`.
[[nodiscard]] std::int64_t lengthened_steps(const TrialEstimate& estimate,
                                            std::int64_t steps,
                                            double wall_s,
                                            double least_s);

struct TimePlanRequest {
  std::vector<TrialEstimate> trials;
  std::int64_t min_repetitions = 5;
  std::int64_t fewest_repetitions = 2;  ///< where a budget allows no more
  double min_time_s = 1.0;              ///< --min-time, per repetition
  double max_time_s = 60.0;             ///< --max-time, per trial
  std::optional<std::int64_t> steps;    ///< --steps: exactly so many per repetition
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
