// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/interval.h"

#include "engine/core/check.h"
#include "reports/statistics.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace dlbench::reports {
namespace {

std::map<std::int64_t, double> by_round(std::span<const RoundRate> arm) {
  std::map<std::int64_t, double> rates;
  for (const RoundRate& entry : arm) {
    DLBENCH_CHECK(std::isfinite(entry.rate) && entry.rate > 0.0) << "rate " << entry.rate;
    const bool is_new = rates.emplace(entry.round, entry.rate).second;
    DLBENCH_CHECK(is_new) << "round " << entry.round << " twice in one arm";
  }
  return rates;
}

}  // namespace

double student_t_factor(double degrees, double confidence) {
  DLBENCH_CHECK(degrees >= 1.0 && 0.0 < confidence && confidence < 1.0)
      << "degrees " << degrees << ", confidence " << confidence;
  return boost::math::quantile(boost::math::students_t(degrees), 0.5 + 0.5 * confidence);
}

std::optional<Interval> mean_interval(std::span<const double> values, double confidence) {
  const std::optional<Summary> summary = summarize(values);
  if (!summary.has_value() || !summary->stddev.has_value()) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(summary->n);
  const double half =
      student_t_factor(count - 1.0, confidence) * *summary->stddev / std::sqrt(count);
  return Interval{summary->mean,
                  summary->mean - half,
                  summary->mean + half,
                  summary->n,
                  "student_t over repetition means"};
}

std::optional<Interval> mean_interval_of_amounts(std::span<const double> amounts) {
  std::optional<Interval> interval = mean_interval(amounts);
  if (interval.has_value()) {
    interval->lower = std::max(0.0, interval->lower);
  }
  return interval;
}

std::vector<double> paired_log_ratios(std::span<const RoundRate> numerator,
                                      std::span<const RoundRate> denominator) {
  const std::map<std::int64_t, double> lower = by_round(denominator);
  std::vector<double> ratios;
  for (const auto& [round, rate] : by_round(numerator)) {
    if (const auto found = lower.find(round); found != lower.end()) {
      ratios.push_back(std::log(rate / found->second));
    }
  }
  return ratios;
}

std::optional<Interval> paired_ratio_interval(std::span<const RoundRate> numerator,
                                              std::span<const RoundRate> denominator,
                                              double confidence) {
  const std::optional<Interval> logs =
      mean_interval(paired_log_ratios(numerator, denominator), confidence);
  if (!logs.has_value()) {
    return std::nullopt;
  }
  return Interval{std::exp(logs->estimate),
                  std::exp(logs->lower),
                  std::exp(logs->upper),
                  logs->n,
                  "student_t over paired log ratios"};
}

}  // namespace dlbench::reports
