// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What two independent samples of rates say about the ratio of speeds. For the sources of compare.h
// only.
#pragma once

#include "reports/text/compare.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::reports {

/// What a side measured, in samples/s or 1/s.
struct RateSample {
  std::vector<double> rates{};  ///< > 0
  std::vector<double> clean{};  ///< those that nothing disturbed or throttled
  std::string doubt{};  ///< "was disturbed": the rates say something else than the program's speed
};

inline constexpr const char* kDisturbedSide = "was disturbed";
inline constexpr const char* kThrottledSide = "was throttled";

[[nodiscard]] double geometric_mean(const std::vector<double>& rates);

/// Returns why a slower or faster candidate is not evidence; empty if it is. Disturbing or
/// throttling only slows, so a candidate slower than a disturbed baseline is really slower.
[[nodiscard]] std::string doubt_of_difference(const std::string& baseline,
                                              const std::string& candidate,
                                              bool slower);

/// Decides as compare_reports() says. `unit` is what the rates are of: without several on both
/// sides kStart has an interval if one side has several, kRepetition has none. Each side has a
/// rate.
[[nodiscard]] RateComparison compare_rates(const RateSample& baseline,
                                           const RateSample& candidate,
                                           CompareUnit unit,
                                           double tolerance);

}  // namespace dlbench::reports
