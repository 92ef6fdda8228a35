// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics_records.h"

#include "engine/core/check.h"
#include "reports/statistics.h"

#include <algorithm>
#include <cstdint>

namespace dlbench::reports {

std::vector<double> counted_rates(std::span<const RepetitionRecord> repetitions) {
  std::vector<double> rates;
  for (const RoundRate& rate : round_rates(repetitions)) {
    rates.push_back(rate.rate);
  }
  return rates;
}

namespace {

/// A number for each round of each process: those of another process are others.
std::int64_t round_number(const RepetitionRecord& repetition) {
  constexpr unsigned kRoundBits = 32;
  return static_cast<std::int64_t>(
      (static_cast<std::uint64_t>(repetition.invocation) << kRoundBits) +
      static_cast<std::uint64_t>(repetition.round));
}

}  // namespace

std::vector<RoundRate> round_rates(std::span<const RepetitionRecord> repetitions) {
  std::vector<RoundRate> rates;
  for (const RepetitionRecord& repetition : repetitions) {
    if (!repetition.discarded.has_value()) {
      rates.push_back({round_number(repetition), repetition.samples_per_second});
    }
  }
  return rates;
}

IntervalRecord interval_record(const Interval& interval) {
  return {interval.lower, interval.upper};
}

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
  if (const auto interval = mean_interval_of_amounts(rates); interval.has_value()) {
    record.ci95 = {interval->lower, interval->upper};
    record.method = interval->method;
  }
  return record;
}

std::optional<StepTimeRecord> step_time_record(std::span<const double> step_s) {
  if (step_s.empty()) {
    return std::nullopt;
  }
  std::vector<double> sorted(step_s.begin(), step_s.end());
  std::sort(sorted.begin(), sorted.end());
  return StepTimeRecord{.median = percentile(sorted, 0.5),
                        .p90 = percentile(sorted, 0.90),
                        .p95 = percentile(sorted, 0.95),
                        .p99 = percentile(sorted, 0.99),
                        .min = sorted.front(),
                        .max = sorted.back(),
                        .n = static_cast<std::int64_t>(sorted.size())};
}

CollectiveTimeRecord collective_time_record(std::span<const double> call_s) {
  const std::optional<Summary> summary = summarize(call_s);
  DLBENCH_CHECK(summary.has_value());
  std::vector<double> sorted(call_s.begin(), call_s.end());
  std::sort(sorted.begin(), sorted.end());
  return {.median = summary->median,
          .p95 = percentile(sorted, 0.95),
          .mean = summary->mean,
          .min = summary->min,
          .max = summary->max,
          .n = summary->n};
}

}  // namespace dlbench::reports
