// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides when warm-up is over. Pure logic: the trial runner supplies step times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {

struct SteadyStateLimits {
  std::int64_t min_steps = 0;    ///< --warmup-steps; the detector needs 11 of its own at least
  std::int64_t max_steps = 200;  ///< then give up, with the taint warmup_not_steady
  double max_seconds = 30.0;     ///< likewise, by time
  /// Before this time max_steps does not count: of batches that arrive within microseconds, ten say
  /// more about the clock than about the trial.
  double min_seconds = 0.05;
  double tolerance = 0.02;  ///< relative difference of the medians of two successive windows
};

/// Returns the longest warm-up, in seconds, of a trial that is then measured for at most
/// `max_time_s`: as long, but at least a second and at most SteadyStateLimits::max_seconds.
[[nodiscard]] double warm_up_limit_s(double max_time_s);

/// Warm-up is over when the medians of two successive windows of 5 steps agree within the
/// tolerance, |a - b| <= tolerance * min(a, b), after at least min_steps steps. The very first step
/// is excluded: allocation, tuning and cold caches make it different.
class SteadyState {
 public:
  static constexpr std::int64_t kWindow = 5;

  /// Throws Error(kUsage) for limits that are not positive or contradict each other.
  explicit SteadyState(SteadyStateLimits limits);

  /// Adds the time of the next step, in seconds, > 0.
  void add(double step_s);

  /// Whether warm-up is over: steady, or a bound was reached.
  [[nodiscard]] bool done() const;
  /// Whether the rule was met; false if a bound ended the warm-up.
  [[nodiscard]] bool steady() const { return steady_; }
  /// Steps added so far, including the first.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Time of the very first step; 0 before it.
  [[nodiscard]] double first_step_s() const { return first_step_s_; }
  /// Seconds of all steps added so far.
  [[nodiscard]] double total_s() const { return total_s_; }
  /// Mean over all steps but the first, if there are others: predicts the time of a number of
  /// steps, even if they come in bursts like a loader's batches. 0 before any step.
  [[nodiscard]] double mean_step_s() const;
  /// Median of the last 2 windows: the time of an ordinary step, unaffected by a step that records
  /// a graph or loads code. The first step's time if there is no other; 0 before any step.
  [[nodiscard]] double usual_step_s() const;
  /// The rule in words, for the report.
  [[nodiscard]] std::string rule() const;

 private:
  SteadyStateLimits limits_;
  std::vector<double> recent_;  ///< the last 2 windows, oldest first
  std::int64_t steps_ = 0;
  double first_step_s_ = 0.0;
  double total_s_ = 0.0;
  bool steady_ = false;
};

}  // namespace dlbench::harness
