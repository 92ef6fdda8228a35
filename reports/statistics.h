// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Descriptive statistics of a handful of numbers. Intervals are in interval.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace dlbench::reports {

/// Descriptive statistics of a set of numbers. `median` is the middle of the sorted numbers (the
/// mean of the two middle ones for even n); `mad` is the median of |x - median|, not scaled.
struct Summary {
  std::int64_t n = 0;
  double mean = 0.0;
  std::optional<double> stddev;  ///< of the sample, n - 1 in the denominator; none for n = 1
  double median = 0.0;
  double mad = 0.0;
  double min = 0.0;
  double max = 0.0;
};

/// Returns the arithmetic mean; `values` not empty (checked).
[[nodiscard]] double mean_of(std::span<const double> values);

/// Returns the statistics; nothing for an empty set. Every value must be finite (checked).
[[nodiscard]] std::optional<Summary> summarize(std::span<const double> values);

/// Returns the value below which the share `quantile` (0 to 1) of the numbers lies, linear between
/// order statistics at rank (n - 1) * quantile counted from 0: definition 7 of Hyndman and Fan
/// 1996, "Sample quantiles in statistical packages", The American Statistician 50(4). `sorted` is
/// ascending and not empty (checked).
[[nodiscard]] double percentile(std::span<const double> sorted, double quantile);

}  // namespace dlbench::reports
