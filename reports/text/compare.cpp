// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/compare.h"

#include "engine/core/error.h"
#include "reports/interval.h"
#include "reports/naming.h"
#include "reports/statistics_records.h"
#include "reports/text/compare_internal.h"
#include "reports/text/measured_item.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace dlbench::reports {
namespace {

using core::Error;
using core::ErrorCode;

/// Mean and variance of the logs of the rates that count.
struct LogRates {
  std::int64_t n = 0;
  double mean = 0.0;
  double variance = 0.0;  ///< n - 1 in the denominator
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

/// What one arm of a report measured, in samples/s.
struct ArmRates {
  std::string name;
  MeasuredItem item;
  std::vector<double> rates;
  std::vector<double> clean{};  ///< those of repetitions that nothing disturbed or throttled
  std::string doubt{};  ///< "was disturbed": the rates say something else than the program's speed
};

constexpr const char* kThrottled = "was throttled";

/// Returns why a slower or faster candidate is not evidence; empty if it is. Disturbing or
/// throttling only slows, so a candidate slower than a disturbed baseline is really slower.
std::string doubt_of_difference(const std::string& baseline,
                                const std::string& candidate,
                                bool slower) {
  if (baseline == kThrottled && candidate == kThrottled) {
    return "";  // both ran below one quota or power limit: that is how the machine is
  }
  if (slower) {
    return candidate.empty() ? "" : "the candidate " + candidate;
  }
  return baseline.empty() ? "" : "the baseline " + baseline;
}

constexpr double kShown = 0.95;    // the interval in the report
constexpr double kDecides = 0.99;  // the interval behind "faster" and "slower"

/// Half-width of the interval of the difference of two means. Welch 1947, "The generalization of
/// 'Student's' problem when several different population variances are involved", Biometrika 34.
std::optional<double> welch_half_width(const LogRates& left,
                                       const LogRates& right,
                                       double confidence) {
  if (left.n < 2 || right.n < 2) {
    return std::nullopt;
  }
  const double left_part = left.variance / static_cast<double>(left.n);
  const double right_part = right.variance / static_cast<double>(right.n);
  const double sum = left_part + right_part;
  if (!(sum > 0.0)) {
    return 0.0;
  }
  const double degrees = sum * sum /
                         (left_part * left_part / static_cast<double>(left.n - 1) +
                          right_part * right_part / static_cast<double>(right.n - 1));
  return student_t_factor(std::max(degrees, 1.0), confidence) * std::sqrt(sum);
}

/// Returns what the rates alone say about the ratio; `safety` >= 1 widens the intervals. Both sides
/// have at least two repetitions.
Change change_of(const LogRates& baseline,
                 const LogRates& candidate,
                 double tolerance,
                 double safety) {
  const double log_ratio = candidate.mean - baseline.mean;
  const bool beyond = std::abs(std::expm1(log_ratio)) > tolerance;
  if (beyond) {
    const double half = safety * welch_half_width(baseline, candidate, kDecides).value();
    return std::abs(log_ratio) <= half ? Change::kUnsure
           : log_ratio < 0.0           ? Change::kSlower
                                       : Change::kFaster;
  }
  const double half = safety * welch_half_width(baseline, candidate, kShown).value();
  const bool within = std::exp(log_ratio - half) >= 1.0 - 2.0 * tolerance &&
                      std::exp(log_ratio + half) <= 1.0 + 2.0 * tolerance;
  return within ? Change::kSame : Change::kUnsure;
}

/// For a ratio that is kUnsure: returns roughly the fewest repetitions per side that would decide,
/// at the mean and noise so far. A side that has more keeps them. Widens the intervals by a tenth,
/// because the noise is not known better.
std::optional<std::int64_t> needed_repetitions(const LogRates& baseline,
                                               const LogRates& candidate,
                                               double tolerance) {
  constexpr std::int64_t kMax = 10'000;
  constexpr double kSafety = 1.1;
  for (std::int64_t n = std::min(baseline.n, candidate.n) + 1; n <= kMax;
       n += std::max<std::int64_t>(1, n / 20)) {
    LogRates before = baseline;
    LogRates after = candidate;
    before.n = std::max(before.n, n);
    after.n = std::max(after.n, n);
    if (change_of(before, after, tolerance, kSafety) != Change::kUnsure) {
      return n;
    }
  }
  return std::nullopt;
}

/// Whether the repetitions that nothing disturbed show the same change by themselves. What disturbs
/// only slows: a slower candidate is judged by its own ones, a faster one by the baseline's.
bool clean_ones_agree(const ArmRates& baseline,
                      const ArmRates& candidate,
                      Change change,
                      double tolerance) {
  constexpr std::size_t kMin = 2;
  const bool slower = change == Change::kSlower;
  const std::vector<double>& before = slower ? baseline.rates : baseline.clean;
  const std::vector<double>& after = slower ? candidate.clean : candidate.rates;
  return before.size() >= kMin && after.size() >= kMin &&
         change_of(log_rates(before), log_rates(after), tolerance, 1.0) == change;
}

ArmComparison compare_arm(const ArmRates& baseline, const ArmRates& candidate, double tolerance) {
  const LogRates before = log_rates(baseline.rates);
  const LogRates after = log_rates(candidate.rates);
  ArmComparison arm;
  arm.arm = baseline.name == candidate.name
                ? baseline.name
                : fmt::format("{} (candidate: {})", baseline.name, candidate.name);
  arm.baseline = std::exp(before.mean);
  arm.candidate = std::exp(after.mean);
  arm.baseline_n = before.n;
  arm.candidate_n = after.n;
  const double log_ratio = after.mean - before.mean;
  arm.ratio = std::exp(log_ratio);
  const std::optional<double> half = welch_half_width(before, after, kShown);
  if (!half.has_value()) {
    return arm;
  }
  arm.ci95 = IntervalRecord{std::exp(log_ratio - *half), std::exp(log_ratio + *half)};
  const Change change = change_of(before, after, tolerance, 1.0);
  if (change == Change::kUnsure) {
    arm.needed_n = needed_repetitions(before, after, tolerance);
  } else if (change != Change::kSame && !clean_ones_agree(baseline, candidate, change, tolerance)) {
    arm.doubt = doubt_of_difference(baseline.doubt, candidate.doubt, change == Change::kSlower);
  }
  arm.change = arm.doubt.empty() ? change : Change::kUnsure;
  return arm;
}

/// Whether the run has a taint of the code at exactly this place.
bool is_tainted(const RunRecord& record, Taint code, const std::string& where) {
  return std::ranges::any_of(record.run.taints, [&](const TaintRecord& taint) {
    return taint.code == code && taint.where == where;
  });
}

/// Returns the rates of repetitions without a taint of their own; none if the trial as a whole has
/// one.
std::vector<double> clean_rates_of(const RunRecord& record, const TrialRecord& trial) {
  const std::string where = "trial " + arm_name(trial);
  const auto is_clean = [&record](const std::string& place) {
    return !is_tainted(record, Taint::kDisturbed, place) &&
           !is_tainted(record, Taint::kThrottled, place);
  };
  std::vector<double> rates;
  for (const RepetitionRecord& repetition : trial.repetitions) {
    if (!repetition.discarded.has_value() && repetition.samples_per_second > 0.0 &&
        is_clean(where) && is_clean(fmt::format("{}, repetition {}", where, repetition.index))) {
      rates.push_back(repetition.samples_per_second);
    }
  }
  return rates;
}

std::vector<double> rates_of(const TrialRecord& trial) {
  std::vector<double> rates = counted_rates(trial.repetitions);
  for (const double rate : rates) {
    if (!(rate > 0.0)) {
      throw Error(ErrorCode::kData,
                  fmt::format("trial {} has a repetition that counts with {} samples/s, of which "
                              "no ratio can be made: measure again",
                              arm_name(trial),
                              rate));
    }
  }
  return rates;
}

/// Returns the epochs' rates, without the first of more than three, which may read cold storage.
std::vector<double> rates_of(const std::vector<EpochRecord>& history) {
  constexpr std::size_t kMin = 3;
  std::vector<double> rates;
  for (const EpochRecord& epoch : history) {
    if (epoch.samples_per_second.value_or(0.0) > 0.0) {
      rates.push_back(*epoch.samples_per_second);
    }
  }
  if (rates.size() > kMin) {
    rates.erase(rates.begin());
  }
  return rates;
}

/// Returns the doubt from the run's taints about `where`, including its repetitions.
std::string doubt_of(const RunRecord& record, const std::string& where) {
  const auto has = [&](Taint code) {
    return std::ranges::any_of(record.run.taints, [&](const TaintRecord& taint) {
      return taint.code == code && (taint.where == where || taint.where.starts_with(where + ","));
    });
  };
  return has(Taint::kDisturbed) ? "was disturbed" : has(Taint::kThrottled) ? kThrottled : "";
}

/// Returns trials by arm, with their number of ranks: "full" of 2 ranks is another arm than of 1.
/// Arm names in a series include it already. The epochs of `train` are one more arm.
std::map<std::string, ArmRates> arms_of(const RunRecord& record) {
  std::map<std::string, ArmRates> arms;
  const auto add = [&arms](const std::string& key, ArmRates arm) {
    if (!arm.rates.empty()) {
      arms[key] = std::move(arm);
    }
  };
  for (const TrialRecord& trial : record.trials) {
    add(trial.series.has_value()
            ? arm_name(trial)
            : fmt::format("{} on {}", arm_name(trial), count_text(trial.ranks, "rank")),
        {arm_name(trial),
         {.trial = trial_name(trial), .series = trial.series.value_or(""), .ranks = trial.ranks},
         rates_of(trial),
         clean_rates_of(record, trial),
         doubt_of(record, "trial " + arm_name(trial))});
  }
  const std::int64_t ranks = launched_ranks(record.system);
  add(fmt::format("train on {}", count_text(ranks, "rank")),
      {"train",
       {.trial = "train", .ranks = ranks},
       rates_of(record.history),
       {},
       doubt_of(record, "training")});
  return arms;
}

/// Identifies comparable collectives of both sides.
using CollectiveKey =
    std::tuple<std::string, std::int64_t, std::string, std::int64_t>;  // op, ranks, dtype, bytes

/// The times of one size of a collective.
struct CollectiveTimes {
  CollectiveTimeRecord time_s;
  std::int64_t wrong = 0;  ///< wrong elements among those checked
  std::string doubt;       ///< as ArmRates has it
};

std::map<CollectiveKey, CollectiveTimes> collectives_of(const RunRecord& record) {
  std::map<CollectiveKey, CollectiveTimes> collectives;
  for (const CollectiveRecord& collective : record.collectives) {
    if (collective.time_s.median > 0.0) {
      collectives[{collective.op, collective.ranks, collective.dtype, collective.bytes}] = {
          collective.time_s,
          collective.wrong.value_or(0),
          doubt_of(record, "collectives over " + count_text(collective.ranks, "rank"))};
    }
  }
  return collectives;
}

std::string text_of(const CollectiveKey& key) {
  const auto& [op, ranks, dtype, bytes] = key;
  return fmt::format("{} of {} bytes, {}, {}", op, bytes, dtype, count_text(ranks, "rank"));
}

CollectiveComparison compare_collective(const CollectiveKey& key,
                                        const CollectiveTimes& baseline,
                                        const CollectiveTimes& candidate,
                                        double tolerance) {
  const CollectiveTimeRecord& before = baseline.time_s;
  const CollectiveTimeRecord& after = candidate.time_s;
  CollectiveComparison result{.collective = text_of(key),
                              .baseline_s = before.median,
                              .candidate_s = after.median,
                              .ratio = before.median / after.median};
  const bool slower = result.ratio < 1.0 && after.median > before.p95;
  const bool faster = result.ratio > 1.0 && before.median > after.p95;
  if (std::abs(result.ratio - 1.0) <= tolerance) {
    result.change = Change::kSame;
  } else if (slower || faster) {
    result.doubt = doubt_of_difference(baseline.doubt, candidate.doubt, slower);
    if (result.doubt.empty()) {
      result.change = slower ? Change::kSlower : Change::kFaster;
    }
  }
  return result;
}

MeasuredItem item_of(const CollectiveKey& key) {
  const auto& [op, ranks, dtype, bytes] = key;
  return {.op = op, .dtype = dtype, .bytes = bytes, .ranks = ranks};
}

/// A device that reads host memory has one synthetic trial, which is comparable to another device's
/// trial with input copies: renames that one in `theirs` to match.
void pair_synthetic(const std::map<std::string, ArmRates>& ours,
                    std::map<std::string, ArmRates>& theirs) {
  for (const auto& [key, arm] : ours) {
    if (arm.item.trial != "synthetic" || theirs.contains(key)) {
      continue;
    }
    const auto host = std::ranges::find_if(theirs, [&arm = arm](const auto& other) {
      const MeasuredItem& item = other.second.item;
      return item.trial == "synthetic/host" && item.series == arm.item.series &&
             item.ranks == arm.item.ranks;
    });
    if (host != theirs.end()) {
      auto node = theirs.extract(host);
      node.key() = key;
      theirs.insert(std::move(node));
    }
  }
}

/// Calls `both(key, mine, theirs)` for what both sides have, and notes what only one side has; also
/// as missing if the baseline has it and the candidate was `asked` for it.
template <typename Key, typename Record, typename Name, typename Asked, typename Both>
void pair_up(const std::map<Key, Record>& before,
             const std::map<Key, Record>& after,
             const Name& name,
             const Asked& asked,
             Comparison& comparison,
             const Both& both) {
  for (const auto& [key, record] : before) {
    if (const auto found = after.find(key); found != after.end()) {
      both(key, record, found->second);
    } else {
      comparison.only_in_one.push_back(name(key) + ": only in the baseline");
      if (asked(key, record)) {
        comparison.missing.push_back(name(key));
      }
    }
  }
  for (const auto& [key, record] : after) {
    if (!before.contains(key)) {
      comparison.only_in_one.push_back(name(key) + ": only in the candidate");
    }
  }
}

std::string names_of(const RunRecord& record) {
  std::vector<std::string> names;
  for (const auto& [name, trial] : arms_of(record)) {
    names.push_back(name);
  }
  for (const auto& [key, collective] : collectives_of(record)) {
    names.push_back(text_of(key));
  }
  return names.empty() ? "nothing that was measured" : fmt::format("{}", fmt::join(names, ", "));
}

/// Samples of another size are other work, like those of another workload. Another batch (which
/// shares an optimizer step among more samples) and another precision (which adds casts) are not:
/// neither changes the multiply-adds of the forward pass.
void expect_same_work(const RunRecord& baseline, const RunRecord& candidate) {
  constexpr double kRounding = 1e-6;
  const auto macs_of = [](const RunRecord& record) {
    return record.workload.has_value() ? record.workload->forward_macs_per_sample : std::nullopt;
  };
  const std::optional<double> before = macs_of(baseline);
  const std::optional<double> after = macs_of(candidate);
  if (before.has_value() && after.has_value() &&
      std::abs(*before - *after) > kRounding * std::max(*before, *after)) {
    throw Error(ErrorCode::kData,
                fmt::format("a sample takes {}MAC forward in the baseline and {}MAC in the "
                            "candidate (--image-size): their samples/s cannot be compared",
                            decimal_text(*before),
                            decimal_text(*after)));
  }
}

std::string workload_name(const RunRecord& record) {
  return record.workload.has_value() ? record.workload->name : "none";
}

}  // namespace

bool Comparison::any_slower() const {
  const auto is_slower = [](const auto& compared) { return compared.change == Change::kSlower; };
  return std::any_of(arms.begin(), arms.end(), is_slower) ||
         std::any_of(collectives.begin(), collectives.end(), is_slower);
}

bool Comparison::fails() const {
  return any_slower() || !missing.empty() || !wrong.empty() || !incomplete.empty();
}

Comparison compare_reports(const RunRecord& baseline,
                           const RunRecord& candidate,
                           const CompareOptions& options) {
  if (!(options.tolerance > 0.0 && options.tolerance < 1.0)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("a tolerance of {} is not a share between 0 and 1; 0.02 is 2 %",
                            options.tolerance));
  }
  if (workload_name(baseline) != workload_name(candidate)) {
    const std::string before = command_of(baseline.run);
    const std::string after = command_of(candidate.run);
    if (before != after && !before.empty() && !after.empty() &&
        baseline.workload.has_value() != candidate.workload.has_value()) {
      throw Error(
          ErrorCode::kData,
          fmt::format("the baseline is a report of the command {}, the candidate one of {}: "
                      "what they measure cannot be compared",
                      before,
                      after));
    }
    throw Error(ErrorCode::kData,
                fmt::format("the reports are of different workloads, {} and {}: their samples/s "
                            "cannot be compared",
                            workload_name(baseline),
                            workload_name(candidate)));
  }
  expect_same_work(baseline, candidate);
  Comparison comparison;
  std::map<std::string, ArmRates> before_arms = arms_of(baseline);
  std::map<std::string, ArmRates> after_arms = arms_of(candidate);
  pair_synthetic(before_arms, after_arms);
  pair_synthetic(after_arms, before_arms);
  pair_up(
      before_arms,
      after_arms,
      [](const std::string& name) { return name; },
      [&](const std::string& /*name*/, const ArmRates& arm) {
        return !asked_without(arm.item, baseline, candidate);
      },
      comparison,
      [&](const std::string& /*name*/, const ArmRates& before, const ArmRates& after) {
        comparison.arms.push_back(compare_arm(before, after, options.tolerance));
      });
  pair_up(
      collectives_of(baseline),
      collectives_of(candidate),
      [](const CollectiveKey& key) { return text_of(key); },
      [&](const CollectiveKey& key, const CollectiveTimes& /*times*/) {
        return !asked_without(item_of(key), baseline, candidate);
      },
      comparison,
      [&](const CollectiveKey& key, const CollectiveTimes& before, const CollectiveTimes& after) {
        comparison.collectives.push_back(compare_collective(key, before, after, options.tolerance));
      });
  for (const auto& [key, times] : collectives_of(candidate)) {
    if (times.wrong > 0) {
      comparison.wrong.push_back(
          fmt::format("{}: {}", text_of(key), count_text(times.wrong, "wrong element")));
    }
  }
  const bool complete = candidate.run.status == RunStatus::kComplete;
  const bool ended_before_any =
      !complete && after_arms.empty() && collectives_of(candidate).empty();
  if (comparison.arms.empty() && comparison.collectives.empty() &&
      (!ended_before_any || comparison.only_in_one.empty())) {
    throw Error(ErrorCode::kData,
                fmt::format("nothing to compare: the baseline has {}, the candidate {}",
                            names_of(baseline),
                            names_of(candidate)));
  }
  if (!complete) {
    comparison.incomplete = status_text(candidate.run);
  }
  comparison.differences = differences_of(baseline, candidate);
  return comparison;
}

}  // namespace dlbench::reports
