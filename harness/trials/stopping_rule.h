// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// When a run has measured enough. Pure logic: the trial runner measures and asks. How long its
// repetitions may be is time_plan.h, warm-up steady_state.h.
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

}  // namespace dlbench::harness
