// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics_records.h"

#include "reports/interval.h"
#include "reports/statistics.h"

namespace dlbench::reports {

std::optional<RateSummary> rate_summary(std::span<const double> rates) {
  const std::optional<Summary> summary = summarize(rates);
  if (!summary.has_value()) {
    return std::nullopt;
  }
  RateSummary record{.mean = summary->mean,
                     .stddev = summary->stddev,
                     .median = summary->median,
                     .mad = summary->mad,
                     .ci95 = std::nullopt,
                     .n = summary->n,
                     .method = "single repetition"};
  if (const auto interval = mean_interval(rates); interval.has_value()) {
    record.ci95 = {interval->lower, interval->upper};
    record.method = interval->method;
  }
  return record;
}

std::optional<StepTimeRecord> step_time_record(std::span<const double> step_s) {
  const auto summary = summarize_steps(step_s);
  if (!summary.has_value()) {
    return std::nullopt;
  }
  return StepTimeRecord{summary->median,
                        summary->p90,
                        summary->p95,
                        summary->p99,
                        summary->min,
                        summary->max,
                        summary->n};
}

}  // namespace dlbench::reports
