// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The checker of the arithmetic checks, and those checks that have a file of their own. For the
// sources of validate.h only.
#pragma once

#include "reports/interval.h"
#include "reports/record.h"
#include "reports/validation/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::reports {

inline constexpr double kTolerance = 1e-6;

/// Sum and product of non-negative counts; a report may contain any, so overflow saturates at the
/// largest value.
inline std::int64_t sum_of(std::int64_t left, std::int64_t right) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(left, right, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}
inline std::int64_t product_of(std::int64_t left, std::int64_t right) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(left, right, &product) ? std::numeric_limits<std::int64_t>::max()
                                                       : product;
}

/// Whether both are equal up to rounding, relative to the larger.
inline bool close(double left, double right, double tolerance = kTolerance) {
  return std::abs(left - right) <= tolerance * std::max(std::abs(left), std::abs(right));
}

/// Collects problems below one path.
class Checker {
 public:
  Checker(std::vector<Problem>& problems, std::string path)
      : problems_(problems), path_(std::move(path)) {}

  [[nodiscard]] Checker at(const std::string& key) const {
    return {problems_, path_.empty() ? key : fmt::format("{}.{}", path_, key)};
  }
  [[nodiscard]] Checker at(const std::string& key, std::size_t index) const {
    return at(fmt::format("{}[{}]", key, index));
  }
  void expect(bool condition, const std::string& message) const {
    if (!condition) {
      problems_.push_back({path_, message});
    }
  }
  /// Checks that `value` equals `wanted`, whose meaning is `meaning`.
  void expect_close(double value, double wanted, const char* meaning) const {
    expect(close(value, wanted), fmt::format("is {}, but {} is {}", value, meaning, wanted));
  }
  /// Does the same for values that may be near zero, such as differences: `scale` is the magnitude
  /// of the numbers subtracted.
  void expect_near(double value, double wanted, double scale, const char* meaning) const {
    expect(std::abs(value - wanted) <= kTolerance * scale,
           fmt::format("is {}, but {} is {}", value, meaning, wanted));
  }
  /// Checks that the interval is absent as `wanted`, or that both ends are as wanted.
  void expect_interval(const std::optional<IntervalRecord>& interval,
                       const std::optional<IntervalRecord>& wanted,
                       double scale,
                       const char* meaning) const {
    if (interval.has_value() != wanted.has_value()) {
      expect(false,
             wanted.has_value()
                 ? fmt::format("is null, but {} is [{}, {}]", meaning, (*wanted)[0], (*wanted)[1])
                 : fmt::format("is not null, but {} has no interval", meaning));
      return;
    }
    for (std::size_t end = 0; interval.has_value() && end < 2; ++end) {
      expect_near((*interval)[end], (*wanted)[end], scale, meaning);
    }
  }
  void expect_inside(double value, const std::optional<IntervalRecord>& interval) const {
    if (!interval.has_value()) {
      return;
    }
    const auto [lower, upper] = *interval;
    const double slack = kTolerance * std::max(std::abs(lower), std::abs(upper));
    expect(lower <= upper, fmt::format("interval [{}, {}] is upside down", lower, upper));
    expect(lower - slack <= value && value <= upper + slack,
           fmt::format("{} is outside its interval [{}, {}]", value, lower, upper));
  }
  void expect_inside(const EstimateRecord& estimate) const {
    expect_inside(estimate.mean, estimate.ci95);
  }
  /// Checks the same for a t interval, which is symmetric about its mean.
  void expect_middle(double mean, const std::optional<IntervalRecord>& interval) const {
    expect_inside(mean, interval);
    if (interval.has_value()) {
      const auto [lower, upper] = *interval;
      expect(std::abs(0.5 * lower + 0.5 * upper - mean) <=
                 kTolerance * std::max(std::abs(lower), std::abs(upper)),
             fmt::format("{} is not the middle of its interval [{}, {}]", mean, lower, upper));
    }
  }
  /// Checks the same for an amount, whose interval may be cut off at 0.
  void expect_middle_of_amount(double mean, const std::optional<IntervalRecord>& interval) const {
    const bool cut = interval.has_value() && (*interval)[0] == 0.0 &&
                     (*interval)[1] >= (2.0 - kTolerance) * mean;
    cut ? expect_inside(mean, interval) : expect_middle(mean, interval);
  }
  template <typename T>
  void expect_reason(const char* key, const Measured<T>& measured) const {
    expect(measured.value.has_value() || !measured.reason.empty(),
           fmt::format("{} is null and {}_reason does not say why", key, key));
  }

 private:
  std::vector<Problem>& problems_;
  std::string path_;
};

/// Checks that the statistics are those of `rates`. A missing or an extra member is a problem too.
void check_rates(const Checker& check, const RateSummary& written, std::span<const double> rates);

/// Returns how far the sum of the step times may deviate from wall_s, s: see its source.
[[nodiscard]] double step_sum_slack_s(const TrialRecord& trial, const RepetitionRecord& repetition);

/// Checks that losses are scaled, by a power of two, if and only if a network trains in fp16.
void check_loss_scaling(const Checker& check,
                        const std::optional<LossScalingRecord>& scaling,
                        bool trains_in_fp16);

/// Checks the order only.
void check_step_times(const Checker& check, const std::optional<StepTimeRecord>& times);

/// Checks that no name appears twice in a list, such as the phases of a trial.
template <typename Part>
void check_names(const Checker& check, const std::vector<Part>& parts) {
  std::set<std::string> names;
  for (const Part& part : parts) {
    check.expect(names.insert(part.name).second, fmt::format("{} is there twice", part.name));
  }
}

/// Whether the rates can be paired: each round once, with ratios and exponentials that are finite.
[[nodiscard]] bool usable(const std::vector<RoundRate>& rates);

/// What is wrong with figures that were derived from rates that are not usable().
inline constexpr const char* kNotUsable =
    "cannot follow from the trials: two of their repetitions are one round, or a rate is 0 or far "
    "from any that occurs";

/// Checks that latency and inverse bandwidth of a link lie in their intervals.
template <typename Link>
void check_link(const Checker& check, const Link& link) {
  check.at("alpha_s").expect_inside(link.alpha_s, link.alpha_s_ci95);
  check.at("beta_s_per_byte").expect_inside(link.beta_s_per_byte, link.beta_s_per_byte_ci95);
}

/// Checks one trial of `record`, in trial_arithmetic.cpp.
void check_trial(const Checker& check, const TrialRecord& trial, const RunRecord& record);

/// Sums over the repetitions of a trial that count.
struct RankSums {
  std::int64_t samples = 0;
  double wall_s = 0.0;          ///< of the slowest rank of each repetition
  std::optional<double> cpu_s;  ///< nothing: unknown for some repetition
};

/// Checks how the ranks of a trial add up, in rank_arithmetic.cpp; `check` is at its per_rank.
void check_rank_sums(const Checker& check, const TrialRecord& trial, const RankSums& counted);

/// Checks rank numbers and hosts wherever ranks are listed, in rank_arithmetic.cpp.
void check_ranks(const Checker& root, const RunRecord& record);

/// Checks status, times, options and the job's use of resources, in run_arithmetic.cpp.
void check_run(const Checker& root, const RunRecord& record);

/// Checks run.taints against doubts visible in the rest of the report, in taint_arithmetic.cpp.
void check_taints(const Checker& root, const RunRecord& record);

/// Whether these trials allow a verdict, in verdict_arithmetic.cpp.
[[nodiscard]] bool decides(const std::vector<const TrialRecord*>& trials, const RunRecord& record);

/// Checks a verdict against its trials, in verdict_arithmetic.cpp.
void check_attribution(const Checker& check,
                       const AttributionRecord& attribution,
                       const std::vector<const TrialRecord*>& trials,
                       const RunRecord& record);

/// Checks all series including their points, in scaling_arithmetic.cpp.
void check_all_scaling(const Checker& root, const RunRecord& record);

/// Checks the points of one series against its trials in `record`, in point_arithmetic.cpp.
void check_points(const Checker& check, const ScalingRecord& scaling, const RunRecord& record);

/// The trials of a point that give the cost of communication; null: not measured.
struct CommunicationTrials {
  const TrialRecord* with = nullptr;     ///< synthetic
  const TrialRecord* without = nullptr;  ///< synthetic/nocomm
  bool on_host = true;                   ///< steps and repetitions are timed by the same clock
};

/// Checks a point's communication against these trials, in communication_arithmetic.cpp.
void check_communication(const Checker& check,
                         const ScalingPointRecord& point,
                         const CommunicationTrials& trials);

/// Checks that each trial of a series has a point there, in point_arithmetic.cpp.
void check_series_of_trials(const Checker& root, const RunRecord& record);

/// Checks collectives and the options that request them, in collective_arithmetic.cpp.
void check_collectives(const Checker& root, const RunRecord& record);

}  // namespace dlbench::reports
