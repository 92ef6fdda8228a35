// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides when a run has measured enough. Pure logic: the trial runner measures and asks.
// time_plan.h decides the length of repetitions, steady_state.h ends the warm-up.
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

/// The results of one trial so far.
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
  std::vector<TrialNoise> noise;  ///< in the order of the trials
  [[nodiscard]] bool stop() const { return reason != StopReason::kNotYet; }
};

/// Says what ended a run before every interval was narrow enough, and how wide the widest is; empty
/// if all are narrow enough. `budget_spent`: --time-budget was the limit.
[[nodiscard]] std::string missed_noise_text(const StopDecision& decision,
                                            bool budget_spent,
                                            const StoppingLimits& limits);

/// Decides after each round, for all trials of a run together.
///
/// Precision is checked only when every trial has a number of repetitions from a fixed list (5, 10,
/// 14, 20, 28, 40, ...; each about sqrt(2) times the previous): stopping at the first narrow
/// interval would reduce its coverage below the nominal value. Time limits do not depend on the
/// data and act after any round with at least min_repetitions.
class StoppingRule {
 public:
  /// Throws Error(kUsage) for limits that are not positive.
  explicit StoppingRule(StoppingLimits limits);

  /// Whether precision is checked when every trial has `n` repetitions that count.
  [[nodiscard]] bool looks_at(std::int64_t n) const;

  /// Returns the next count above `n` at which precision is checked.
  [[nodiscard]] std::int64_t next_look(std::int64_t n) const;

  /// Decides after a round. `trials` must not be empty (checked).
  [[nodiscard]] StopDecision decide(std::span<const TrialProgress> trials) const;

 private:
  StoppingLimits limits_;
};

}  // namespace dlbench::harness
