// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/rate_comparison.h"

#include "reports/interval.h"

#include <algorithm>
#include <cmath>

namespace dlbench::reports {
namespace {

/// Mean and variance of the logs of rates.
struct LogRates {
  std::int64_t n = 0;
  double mean = 0.0;
  double variance = 0.0;  ///< n - 1 in the denominator; of one rate 0
};

LogRates log_rates(const std::vector<double>& rates) {
  LogRates result;
  result.n = static_cast<std::int64_t>(rates.size());
  for (const double rate : rates) {
    result.mean += std::log(rate) / static_cast<double>(result.n);
  }
  for (const double rate : rates) {
    const double deviation = std::log(rate) - result.mean;
    result.variance += deviation * deviation / std::max(static_cast<double>(result.n) - 1.0, 1.0);
  }
  return result;
}

constexpr double kShown = 0.95;    // the interval in the report
constexpr double kDecides = 0.99;  // the interval behind "faster" and "slower"

/// The difference of two means of logs, and how certain it is.
struct LogRatio {
  LogRates baseline;
  LogRates candidate;
  CompareUnit unit = CompareUnit::kRepetition;

  [[nodiscard]] double value() const { return candidate.mean - baseline.mean; }
  [[nodiscard]] bool has_interval() const {
    const auto [fewer, more] = std::minmax(baseline.n, candidate.n);
    return unit == CompareUnit::kStart ? more >= 2 : fewer >= 2;
  }
  /// Returns the half-width of the interval. Of samples of several: Welch 1947, "The
  /// generalization of 'Student's' problem when several different population variances are
  /// involved", Biometrika 34. A lone start is taken to vary as the other side's starts do
  /// (Student's prediction interval for one more of them). Wants has_interval().
  [[nodiscard]] double half_width(double confidence) const {
    const bool lone = std::min(baseline.n, candidate.n) < 2;
    const double of_both = std::max(baseline.variance, candidate.variance);  // a lone one's is 0
    const auto part = [&](const LogRates& side) {
      return (lone ? of_both : side.variance) / static_cast<double>(side.n);
    };
    const double sum = part(baseline) + part(candidate);
    if (!(sum > 0.0)) {
      return 0.0;
    }
    const auto share = [&](const LogRates& side) {
      return side.n < 2 ? 0.0 : part(side) * part(side) / static_cast<double>(side.n - 1);
    };
    const double degrees = lone ? static_cast<double>(std::max(baseline.n, candidate.n) - 1)
                                : sum * sum / (share(baseline) + share(candidate));
    return student_t_factor(std::max(degrees, 1.0), confidence) * std::sqrt(sum);
  }
};

/// Returns what the rates alone say about the ratio; `safety` >= 1 widens the intervals. Wants
/// has_interval().
Change change_of(const LogRatio& ratio, double tolerance, double safety) {
  const bool beyond = std::abs(std::expm1(ratio.value())) > tolerance;
  if (beyond) {
    return std::abs(ratio.value()) <= safety * ratio.half_width(kDecides) ? Change::kUnsure
           : ratio.value() < 0.0                                          ? Change::kSlower
                                                                          : Change::kFaster;
  }
  const double half = safety * ratio.half_width(kShown);
  const bool within = std::exp(ratio.value() - half) >= 1.0 - 2.0 * tolerance &&
                      std::exp(ratio.value() + half) <= 1.0 + 2.0 * tolerance;
  return within ? Change::kSame : Change::kUnsure;
}

/// For a ratio that is kUnsure: returns roughly the fewest values per side that would decide, at
/// the mean and noise so far. A side that has more keeps them. Widens the intervals by a tenth,
/// because the noise is not known better.
std::optional<std::int64_t> needed_values(const LogRatio& ratio, double tolerance) {
  constexpr std::int64_t kMax = 10'000;
  constexpr double kSafety = 1.1;
  LogRatio more = ratio;
  for (LogRates* side : {&more.baseline, &more.candidate}) {
    if (side->n < 2) {
      side->variance = std::max(ratio.baseline.variance, ratio.candidate.variance);
    }
  }
  for (std::int64_t n = std::min(ratio.baseline.n, ratio.candidate.n) + 1; n <= kMax;
       n += std::max<std::int64_t>(1, n / 20)) {
    more.baseline.n = std::max(ratio.baseline.n, n);
    more.candidate.n = std::max(ratio.candidate.n, n);
    if (change_of(more, tolerance, kSafety) != Change::kUnsure) {
      return n;
    }
  }
  return std::nullopt;
}

/// Whether the rates that nothing disturbed show the same change by themselves. What disturbs only
/// slows: a slower candidate is judged by its own ones, a faster one by the baseline's.
bool clean_ones_agree(const RateSample& baseline,
                      const RateSample& candidate,
                      const RateComparison& all,
                      CompareUnit unit,
                      double tolerance) {
  const bool slower = all.change == Change::kSlower;
  const LogRatio ratio{log_rates(slower ? baseline.rates : baseline.clean),
                       log_rates(slower ? candidate.clean : candidate.rates),
                       unit};
  return std::min(ratio.baseline.n, ratio.candidate.n) >= 1 && ratio.has_interval() &&
         change_of(ratio, tolerance, 1.0) == all.change;
}

}  // namespace

double geometric_mean(const std::vector<double>& rates) { return std::exp(log_rates(rates).mean); }

std::string doubt_of_difference(const std::string& baseline,
                                const std::string& candidate,
                                bool slower) {
  if (baseline == kThrottledSide && candidate == kThrottledSide) {
    return "";  // both ran below one quota or power limit: that is how the machine is
  }
  if (slower) {
    return candidate.empty() ? "" : "the candidate " + candidate;
  }
  return baseline.empty() ? "" : "the baseline " + baseline;
}

RateComparison compare_rates(const RateSample& baseline,
                             const RateSample& candidate,
                             CompareUnit unit,
                             double tolerance) {
  const LogRatio ratio{log_rates(baseline.rates), log_rates(candidate.rates), unit};
  RateComparison result{.ratio = std::exp(ratio.value()),
                        .baseline_n = ratio.baseline.n,
                        .candidate_n = ratio.candidate.n};
  if (!ratio.has_interval()) {
    return result;
  }
  const double half = ratio.half_width(kShown);
  result.ci95 = IntervalRecord{std::exp(ratio.value() - half), std::exp(ratio.value() + half)};
  result.change = change_of(ratio, tolerance, 1.0);
  if (result.change == Change::kUnsure) {
    result.needed_n = needed_values(ratio, tolerance);
  } else if (result.change != Change::kSame &&
             !clean_ones_agree(baseline, candidate, result, unit, tolerance)) {
    result.doubt =
        doubt_of_difference(baseline.doubt, candidate.doubt, result.change == Change::kSlower);
  }
  if (!result.doubt.empty()) {
    result.change = Change::kUnsure;
  }
  return result;
}

}  // namespace dlbench::reports
