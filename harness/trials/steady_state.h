// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// When warm-up is over. Pure logic: the trial runner feeds step times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {

struct SteadyStateLimits {
  std::int64_t min_steps = 0;    ///< --warmup-steps; the detector needs 11 of its own at least
  std::int64_t max_steps = 200;  ///< then give up: taint warmup_not_steady
  double max_seconds = 30.0;     ///< the same, by time
  /// max_steps counts only from here on: of batches that are handed over in microseconds, any ten
  /// say more of the clock than of the trial.
  double min_seconds = 0.05;
  double tolerance = 0.02;  ///< of the medians of two successive windows
};

/// Seconds that the warm-up of a trial may last which is then measured for `max_time_s` seconds at
/// most: as long, but a second at least and SteadyStateLimits::max_seconds at most.
[[nodiscard]] double warm_up_limit_s(double max_time_s);

/// Warm-up is over when the medians of two successive windows of 5 steps agree within the
/// tolerance, |a - b| <= tolerance * min(a, b), after at least min_steps steps. The very first step
/// is kept apart: allocation, tuning and cold caches make it another thing.
class SteadyState {
 public:
  static constexpr std::int64_t kWindow = 5;

  /// Throws Error(kUsage) for limits that are not positive or contradict each other.
  explicit SteadyState(SteadyStateLimits limits);

  /// Tells the time of the next step, in seconds, > 0.
  void add(double step_s);

  /// Enough: steady, or a bound was reached.
  [[nodiscard]] bool done() const;
  /// The rule was met. False when a bound ended the warm-up.
  [[nodiscard]] bool steady() const { return steady_; }
  /// Steps told so far, the first included.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Time of the very first step; 0 before it.
  [[nodiscard]] double first_step_s() const { return first_step_s_; }
  /// Seconds of all steps told so far.
  [[nodiscard]] double total_s() const { return total_s_; }
  /// Mean over all steps but the first, if there are others: what a number of steps will take, also
  /// where they come in bursts as a loader's batches do. 0 before any.
  [[nodiscard]] double mean_step_s() const;
  /// Median of the last 2 windows: what a step takes that is like the others. A step that records a
  /// graph or loads code does not show. The first step's time where there is no other; 0 before
  /// any.
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
