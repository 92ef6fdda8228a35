// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The tool of the arithmetic checks and the parts of them that have a file of their own. For the
// sources of validate.h alone.
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

/// Sum and product of counts, which are not negative; those of a report may be any, so they end at
/// the largest.
inline std::int64_t sum_of(std::int64_t left, std::int64_t right) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(left, right, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}
inline std::int64_t product_of(std::int64_t left, std::int64_t right) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(left, right, &product) ? std::numeric_limits<std::int64_t>::max()
                                                       : product;
}

/// Equal but for rounding, relative to the larger.
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
  /// `value` must equal `wanted`, which is what `meaning` says.
  void expect_close(double value, double wanted, const char* meaning) const {
    expect(close(value, wanted), fmt::format("is {}, but {} is {}", value, meaning, wanted));
  }
  /// The same where both may be near zero, as differences are: `scale` is the size of what they are
  /// the difference of.
  void expect_near(double value, double wanted, double scale, const char* meaning) const {
    expect(std::abs(value - wanted) <= kTolerance * scale,
           fmt::format("is {}, but {} is {}", value, meaning, wanted));
  }
  /// Either none of both, or both ends as wanted.
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
  /// The same of a t interval, which is as long below its mean as above it.
  void expect_middle(double mean, const std::optional<IntervalRecord>& interval) const {
    expect_inside(mean, interval);
    if (interval.has_value()) {
      const auto [lower, upper] = *interval;
      expect(std::abs(0.5 * lower + 0.5 * upper - mean) <=
                 kTolerance * std::max(std::abs(lower), std::abs(upper)),
             fmt::format("{} is not the middle of its interval [{}, {}]", mean, lower, upper));
    }
  }
  /// The same of an amount, whose interval may be cut off at 0.
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

/// Are the statistics those of `rates`? A member that is missing or too much is a problem too.
void check_rates(const Checker& check, const RateSummary& written, std::span<const double> rates);

/// By how much the sum of the step times may part from wall_s, s: see its source.
[[nodiscard]] double step_sum_slack_s(const TrialRecord& trial, const RepetitionRecord& repetition);

/// Losses are scaled where a network trains in fp16, by a power of two.
void check_loss_scaling(const Checker& check,
                        const std::optional<LossScalingRecord>& scaling,
                        bool trains_in_fp16);

/// The order alone.
void check_step_times(const Checker& check, const std::optional<StepTimeRecord>& times);

/// The names of a list, such as the phases of a trial: none twice.
template <typename Part>
void check_names(const Checker& check, const std::vector<Part>& parts) {
  std::set<std::string> names;
  for (const Part& part : parts) {
    check.expect(names.insert(part.name).second, fmt::format("{} is there twice", part.name));
  }
}

/// Can they be paired? Each round once, and rates whose ratios and their exponentials are numbers.
[[nodiscard]] bool usable(const std::vector<RoundRate>& rates);

/// What is wrong with figures made from others: they follow from none.
inline constexpr const char* kNotUsable =
    "cannot follow from the trials: two of their repetitions are one round, or a rate is 0 or far "
    "from any that occurs";

/// Latency and inverse bandwidth of a link, which lie in their intervals.
template <typename Link>
void check_link(const Checker& check, const Link& link) {
  check.at("alpha_s").expect_inside(link.alpha_s, link.alpha_s_ci95);
  check.at("beta_s_per_byte").expect_inside(link.beta_s_per_byte, link.beta_s_per_byte_ci95);
}

/// Of one trial of `record`, in trial_arithmetic.cpp.
void check_trial(const Checker& check, const TrialRecord& trial, const RunRecord& record);

/// What the repetitions of a trial that count come to.
struct RankSums {
  std::int64_t samples = 0;
  double wall_s = 0.0;          ///< of the slowest rank of each
  std::optional<double> cpu_s;  ///< nothing: one of them does not tell
};

/// What the ranks of a trial share, in rank_arithmetic.cpp; `check` is at its per_rank.
void check_rank_sums(const Checker& check, const TrialRecord& trial, const RankSums& counted);

/// Who is a rank and on which host, wherever ranks are listed, in rank_arithmetic.cpp.
void check_ranks(const Checker& root, const RunRecord& record);

/// Status, times, options and what the job used, in run_arithmetic.cpp.
void check_run(const Checker& root, const RunRecord& record);

/// What the rest of the report shows to be doubtful, against run.taints, in taint_arithmetic.cpp.
void check_taints(const Checker& root, const RunRecord& record);

/// Whether a verdict can be told from these trials, in verdict_arithmetic.cpp.
[[nodiscard]] bool decides(const std::vector<const TrialRecord*>& trials, const RunRecord& record);

/// A verdict against the trials it is of, in verdict_arithmetic.cpp.
void check_attribution(const Checker& check,
                       const AttributionRecord& attribution,
                       const std::vector<const TrialRecord*>& trials,
                       const RunRecord& record);

/// All series, their points included, in scaling_arithmetic.cpp.
void check_all_scaling(const Checker& root, const RunRecord& record);

/// The points of one series against its trials in `record`, in point_arithmetic.cpp.
void check_points(const Checker& check, const ScalingRecord& scaling, const RunRecord& record);

/// The trials of a point that tell what communication costs; null: not measured.
struct CommunicationTrials {
  const TrialRecord* with = nullptr;     ///< synthetic
  const TrialRecord* without = nullptr;  ///< synthetic/nocomm
  bool on_host = true;                   ///< steps are timed by the clock that repetitions are
};

/// What a point says of communication against these trials, in communication_arithmetic.cpp.
void check_communication(const Checker& check,
                         const ScalingPointRecord& point,
                         const CommunicationTrials& trials);

/// Whether each trial of a series has a point there, in point_arithmetic.cpp.
void check_series_of_trials(const Checker& root, const RunRecord& record);

/// Collectives and the options that ask for them, in collective_arithmetic.cpp.
void check_collectives(const Checker& root, const RunRecord& record);

}  // namespace dlbench::reports
