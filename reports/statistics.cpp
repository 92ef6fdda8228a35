// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics.h"

#include "engine/core/check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace dlbench::reports {
namespace {

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  for (const double value : sorted) {
    DLBENCH_CHECK(std::isfinite(value)) << value;
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

double mean_of(std::span<const double> values) {
  DLBENCH_CHECK(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double percentile(std::span<const double> sorted, double quantile) {
  DLBENCH_CHECK(!sorted.empty() && 0.0 <= quantile && quantile <= 1.0) << quantile;
  const double rank = static_cast<double>(sorted.size() - 1) * quantile;
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = rank - static_cast<double>(below);
  // Not a + part * (b - a), whose rounding can leave [a, b].
  return part == 0.0 ? sorted[below]
                     : std::clamp((1.0 - part) * sorted[below] + part * sorted[above],
                                  sorted[below],
                                  sorted[above]);
}

std::optional<Summary> summarize(std::span<const double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::vector<double> sorted = sorted_copy(values);
  Summary summary;
  summary.n = static_cast<std::int64_t>(values.size());
  summary.min = sorted.front();
  summary.max = sorted.back();
  const auto count = static_cast<double>(values.size());
  summary.mean = std::clamp(
      std::accumulate(values.begin(), values.end(), 0.0) / count, summary.min, summary.max);
  if (values.size() > 1) {
    double squares = 0.0;
    for (const double value : values) {
      squares += (value - summary.mean) * (value - summary.mean);
    }
    summary.stddev = std::sqrt(squares / (count - 1.0));
  }
  summary.median = percentile(sorted, 0.5);
  for (double& value : sorted) {
    value = std::abs(value - summary.median);
  }
  std::sort(sorted.begin(), sorted.end());
  summary.mad = percentile(sorted, 0.5);
  return summary;
}

}  // namespace dlbench::reports
