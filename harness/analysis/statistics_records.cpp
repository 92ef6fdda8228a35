// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/statistics_records.h"

#include "harness/stats/interval.h"
#include "harness/stats/summary.h"

namespace dlbench::harness {

std::optional<reports::RateSummary> rate_summary(std::span<const double> rates) {
  const std::optional<Summary> summary = summarize(rates);
  if (!summary.has_value()) {
    return std::nullopt;
  }
  reports::RateSummary record{.mean = summary->mean,
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

std::optional<reports::StepTimeRecord> step_time_record(std::span<const double> step_s) {
  const auto summary = summarize_steps(step_s);
  if (!summary.has_value()) {
    return std::nullopt;
  }
  return reports::StepTimeRecord{summary->median,
                                 summary->p90,
                                 summary->p95,
                                 summary->p99,
                                 summary->min,
                                 summary->max,
                                 summary->n};
}

}  // namespace dlbench::harness
