// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Confidence intervals of a mean, of a ratio of paired measurements, and of a ratio of independent
// ones. Each names its method and how many numbers it is from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::reports {

/// An estimate with its interval: lower <= estimate <= upper.
struct Interval {
  double estimate = 0.0;
  double lower = 0.0;
  double upper = 0.0;
  std::int64_t n = 0;  ///< numbers (or pairs) it comes from
  std::string method;  ///< e.g. "student_t over repetition means"
  [[nodiscard]] double half_width() const { return 0.5 * (upper - lower); }
};

/// Returns the two-sided Student t factor: P(|T| <= factor) = confidence, with `degrees` >= 1 (may
/// be fractional) and 0 < confidence < 1 (checked).
[[nodiscard]] double student_t_factor(double degrees, double confidence);

/// Returns mean +- t(n - 1) * stddev / sqrt(n). Nothing for n < 2.
[[nodiscard]] std::optional<Interval> mean_interval(std::span<const double> values,
                                                    double confidence = 0.95);

/// Like mean_interval(), for non-negative amounts such as rates and times: cut off at 0, which does
/// not change the coverage.
[[nodiscard]] std::optional<Interval> mean_interval_of_amounts(std::span<const double> amounts);

/// The rate (samples/s, > 0) that one arm reached in one round. Arms measured in the same round ran
/// next to each other in time, so their ratio is free of slow drifts.
struct RoundRate {
  std::int64_t round = 0;  ///< a number of its own among those of all invocations
  double rate = 0.0;
};

/// Returns log(numerator / denominator) of every round that both arms have, by ascending round. A
/// round may appear once per arm; rates must be positive (checked).
[[nodiscard]] std::vector<double> paired_log_ratios(std::span<const RoundRate> numerator,
                                                    std::span<const RoundRate> denominator);

/// Returns the interval of numerator / denominator, paired by round: exp of the t interval of the
/// mean log ratio around the geometric mean. Nothing with fewer than 2 common rounds.
[[nodiscard]] std::optional<Interval> paired_ratio_interval(std::span<const RoundRate> numerator,
                                                            std::span<const RoundRate> denominator,
                                                            double confidence = 0.95);

}  // namespace dlbench::reports
