// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// When a figure is in doubt: the rules by which the harness taints and validation checks. Those for
// disturbances are in engine/core/disturbance_thresholds.h.
#pragma once

#include "reports/trial_record.h"

#include <cmath>
#include <cstdint>

namespace dlbench::reports {

/// Share of a repetition for which a CPU quota may stop threads without a taint.
inline constexpr double kThrottledShare = 0.01;

/// Returns whether a repetition of `wall_s` is too short, given that it should last `min_s`.
[[nodiscard]] inline bool is_short(double wall_s, double min_s) {
  constexpr double kShortShare = 0.8;
  return wall_s < kShortShare * min_s;
}

/// Whether the queue's change is at most 1 % of the repetition's batches, from start to end.
[[nodiscard]] inline bool queue_balanced(std::int64_t start, std::int64_t end, std::int64_t steps) {
  return std::abs(static_cast<double>(end - start)) <= 0.01 * static_cast<double>(steps);
}

/// Returns the distance from the mean to the upper end of the 95 % interval, over the mean;
/// infinite without interval. The upper end, as the lower one may have been cut off at 0.
[[nodiscard]] inline double noise_of(const RateSummary& rates) {
  return rates.ci95.has_value() ? ((*rates.ci95)[1] - rates.mean) / rates.mean : INFINITY;
}

}  // namespace dlbench::reports
