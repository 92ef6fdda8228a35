// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/compare.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "reports/naming.h"
#include "reports/statistics_records.h"
#include "reports/text/comparable.h"
#include "reports/text/compare_internal.h"
#include "reports/text/measured_item.h"
#include "reports/text/rate_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dlbench::reports {
namespace {

using core::Error;
using core::ErrorCode;

/// What one arm of a side measured.
struct Arm : RateSample {
  std::string name{};
  MeasuredItem item{};
  std::vector<const RunRecord*> reports{};  ///< that have it
};

ArmComparison compare_arm(const Arm& baseline,
                          const Arm& candidate,
                          CompareUnit unit,
                          double tolerance) {
  return {compare_rates(baseline, candidate, unit, tolerance),
          baseline.name == candidate.name
              ? baseline.name
              : fmt::format("{} (candidate: {})", baseline.name, candidate.name),
          geometric_mean(baseline.rates),
          geometric_mean(candidate.rates)};
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
  return has(Taint::kDisturbed) ? kDisturbedSide : has(Taint::kThrottled) ? kThrottledSide : "";
}

/// Returns trials by arm, with their number of ranks: "full" of 2 ranks is another arm than of 1.
/// Arm names in a series include it already. The epochs of `train` are one more arm.
std::map<std::string, Arm> arms_of(const RunRecord& record) {
  std::map<std::string, Arm> arms;
  const auto add = [&arms](const std::string& key, Arm arm) {
    if (!arm.rates.empty()) {
      arms[key] = std::move(arm);
    }
  };
  for (const TrialRecord& trial : record.trials) {
    add(trial.series.has_value()
            ? arm_name(trial)
            : fmt::format("{} on {}", arm_name(trial), count_text(trial.ranks, "rank")),
        {{.rates = rates_of(trial),
          .clean = clean_rates_of(record, trial),
          .doubt = doubt_of(record, "trial " + arm_name(trial))},
         arm_name(trial),
         {.trial = trial_name(trial), .series = trial.series.value_or(""), .ranks = trial.ranks},
         {&record}});
  }
  const std::int64_t ranks = launched_ranks(record.system);
  const std::string doubt = doubt_of(record, "training");
  const std::vector<double> rates = rates_of(record.history);
  add(fmt::format("train on {}", count_text(ranks, "rank")),
      {{.rates = rates, .clean = doubt.empty() ? rates : std::vector<double>(), .doubt = doubt},
       "train",
       {.trial = "train", .ranks = ranks},
       {&record}});
  return arms;
}

/// Adds a start with these rates to those of its side.
void add_start(const RateSample& start, RateSample& side) {
  side.rates.push_back(geometric_mean(start.rates));
  if (!start.clean.empty()) {
    side.clean.push_back(geometric_mean(start.clean));
  }
  if (side.doubt.empty() || start.doubt == kDisturbedSide) {
    side.doubt = start.doubt;
  }
}

std::map<std::string, Arm> arms_of(std::span<const RunRecord> records, CompareUnit unit) {
  if (unit == CompareUnit::kRepetition) {
    return arms_of(records.front());
  }
  std::map<std::string, Arm> arms;
  for (const RunRecord& record : records) {
    for (const auto& [key, start] : arms_of(record)) {
      Arm& arm = arms[key];
      arm.name = start.name;
      arm.item = start.item;
      arm.reports.push_back(&record);
      add_start(start, arm);
    }
  }
  return arms;
}

/// Identifies comparable collectives of both sides.
using CollectiveKey =
    std::tuple<std::string, std::int64_t, std::string, std::int64_t>;  // op, ranks, dtype, bytes

/// The times of one size of a collective.
struct CollectiveTimes {
  CollectiveTimeRecord time_s;  ///< of the last start
  RateSample starts;            ///< of 1 / median, by start
  std::int64_t wrong = 0;       ///< wrong elements among those checked
  std::vector<const RunRecord*> reports{};
};

std::map<CollectiveKey, CollectiveTimes> collectives_of(std::span<const RunRecord> records) {
  std::map<CollectiveKey, CollectiveTimes> collectives;
  for (const RunRecord& record : records) {
    for (const CollectiveRecord& collective : record.collectives) {
      if (!(collective.time_s.median > 0.0)) {
        continue;
      }
      CollectiveTimes& times =
          collectives[{collective.op, collective.ranks, collective.dtype, collective.bytes}];
      times.wrong += collective.wrong.value_or(0);
      if (!times.reports.empty() && times.reports.back() == &record) {
        continue;  // by another transport, or out of place: a start's time counts once
      }
      times.time_s = collective.time_s;
      times.reports.push_back(&record);
      const std::vector<double> speed = {1.0 / collective.time_s.median};
      const std::string doubt =
          doubt_of(record, "collectives over " + count_text(collective.ranks, "rank"));
      add_start(
          {.rates = speed, .clean = doubt.empty() ? speed : std::vector<double>(), .doubt = doubt},
          times.starts);
    }
  }
  return collectives;
}

std::string text_of(const CollectiveKey& key) {
  const auto& [op, ranks, dtype, bytes] = key;
  return fmt::format("{} of {} bytes, {}, {}", op, bytes, dtype, count_text(ranks, "rank"));
}

/// Of one report each: by the spread of the calls.
RateComparison compare_calls(const CollectiveTimes& baseline,
                             const CollectiveTimes& candidate,
                             double tolerance) {
  const CollectiveTimeRecord& before = baseline.time_s;
  const CollectiveTimeRecord& after = candidate.time_s;
  RateComparison result{.ratio = before.median / after.median, .baseline_n = 1, .candidate_n = 1};
  const bool slower = result.ratio < 1.0 && after.median > before.p95;
  const bool faster = result.ratio > 1.0 && before.median > after.p95;
  if (std::abs(result.ratio - 1.0) <= tolerance) {
    result.change = Change::kSame;
  } else if (slower || faster) {
    result.doubt = doubt_of_difference(baseline.starts.doubt, candidate.starts.doubt, slower);
    if (result.doubt.empty()) {
      result.change = slower ? Change::kSlower : Change::kFaster;
    }
  }
  return result;
}

CollectiveComparison compare_collective(const CollectiveKey& key,
                                        const CollectiveTimes& baseline,
                                        const CollectiveTimes& candidate,
                                        CompareUnit unit,
                                        double tolerance) {
  return {unit == CompareUnit::kStart
              ? compare_rates(baseline.starts, candidate.starts, unit, tolerance)
              : compare_calls(baseline, candidate, tolerance),
          text_of(key),
          1.0 / geometric_mean(baseline.starts.rates),
          1.0 / geometric_mean(candidate.starts.rates)};
}

MeasuredItem item_of(const CollectiveKey& key) {
  const auto& [op, ranks, dtype, bytes] = key;
  return {.op = op, .dtype = dtype, .bytes = bytes, .ranks = ranks};
}

/// A device that reads host memory has one synthetic trial, which is comparable to another device's
/// trial with input copies: renames that one in `theirs` to match.
void pair_synthetic(const std::map<std::string, Arm>& ours, std::map<std::string, Arm>& theirs) {
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

template <typename Arms, typename Collectives>
std::string names_of(const Arms& arms, const Collectives& collectives) {
  std::vector<std::string> names;
  names.reserve(arms.size() + collectives.size());
  for (const auto& [name, arm] : arms) {
    names.push_back(name);
  }
  for (const auto& [key, collective] : collectives) {
    names.push_back(text_of(key));
  }
  return names.empty() ? "nothing that was measured" : fmt::format("{}", fmt::join(names, ", "));
}

/// Returns why the first candidate that is not complete is not; empty if all are.
std::string incompleteness(std::span<const RunRecord> candidates) {
  for (const RunRecord& candidate : candidates) {
    if (candidate.run.status != RunStatus::kComplete) {
      return candidates.size() == 1 ? status_text(candidate.run)
                                    : fmt::format("{}, the run started at {}",
                                                  status_text(candidate.run),
                                                  candidate.run.started_at);
    }
  }
  return "";
}

}  // namespace

bool Comparison::any(Change change) const {
  const auto is_such = [change](const auto& compared) { return compared.change == change; };
  return std::any_of(arms.begin(), arms.end(), is_such) ||
         std::any_of(collectives.begin(), collectives.end(), is_such);
}

bool Comparison::fails() const {
  return any(Change::kSlower) || !missing.empty() || !wrong.empty() || !incomplete.empty();
}

Comparison compare_reports(const RunRecord& baseline,
                           const RunRecord& candidate,
                           const CompareOptions& options) {
  return compare_reports({&baseline, 1}, {&candidate, 1}, options);
}

Comparison compare_reports(std::span<const RunRecord> baselines,
                           std::span<const RunRecord> candidates,
                           const CompareOptions& options) {
  DLBENCH_CHECK(!baselines.empty() && !candidates.empty());
  if (!(options.tolerance > 0.0 && options.tolerance < 1.0)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("a tolerance of {} is not a share between 0 and 1; 0.02 is 2 %",
                            options.tolerance));
  }
  expect_comparable(baselines, candidates);
  Comparison comparison;
  if (baselines.size() > 1 || candidates.size() > 1) {
    comparison.unit = CompareUnit::kStart;
  }
  std::map<std::string, Arm> before_arms = arms_of(baselines, comparison.unit);
  std::map<std::string, Arm> after_arms = arms_of(candidates, comparison.unit);
  pair_synthetic(before_arms, after_arms);
  pair_synthetic(after_arms, before_arms);
  const auto before_collectives = collectives_of(baselines);
  const auto after_collectives = collectives_of(candidates);
  const auto asked_of = [](const RunRecord& candidate,
                           const MeasuredItem& item,
                           const std::vector<const RunRecord*>& before) {
    return std::ranges::any_of(before, [&](const RunRecord* baseline) {
      return !asked_without(item, *baseline, candidate);
    });
  };
  const auto asked = [&](const MeasuredItem& item, const std::vector<const RunRecord*>& before) {
    return std::ranges::any_of(
        candidates, [&](const RunRecord& candidate) { return asked_of(candidate, item, before); });
  };
  // Of several candidates one may lack what another has.
  const auto note_lacking = [&](const std::string& name,
                                const MeasuredItem& item,
                                const std::vector<const RunRecord*>& before,
                                const std::vector<const RunRecord*>& after) {
    for (const RunRecord& candidate : candidates) {
      if (std::ranges::count(after, &candidate) == 0 && asked_of(candidate, item, before)) {
        comparison.missing.push_back(
            fmt::format("{} in the run started at {}", name, candidate.run.started_at));
      }
    }
  };
  pair_up(
      before_arms,
      after_arms,
      [](const std::string& name) { return name; },
      [&](const std::string& /*name*/, const Arm& arm) { return asked(arm.item, arm.reports); },
      comparison,
      [&](const std::string& name, const Arm& before, const Arm& after) {
        note_lacking(name, before.item, before.reports, after.reports);
        comparison.arms.push_back(compare_arm(before, after, comparison.unit, options.tolerance));
      });
  pair_up(
      before_collectives,
      after_collectives,
      [](const CollectiveKey& key) { return text_of(key); },
      [&](const CollectiveKey& key, const CollectiveTimes& times) {
        return asked(item_of(key), times.reports);
      },
      comparison,
      [&](const CollectiveKey& key, const CollectiveTimes& before, const CollectiveTimes& after) {
        note_lacking(text_of(key), item_of(key), before.reports, after.reports);
        comparison.collectives.push_back(
            compare_collective(key, before, after, comparison.unit, options.tolerance));
      });
  for (const auto& [key, times] : after_collectives) {
    if (times.wrong > 0) {
      comparison.wrong.push_back(
          fmt::format("{}: {}", text_of(key), count_text(times.wrong, "wrong element")));
    }
  }
  comparison.incomplete = incompleteness(candidates);
  const bool ended_before_any =
      !comparison.incomplete.empty() && after_arms.empty() && after_collectives.empty();
  if (comparison.arms.empty() && comparison.collectives.empty() &&
      (!ended_before_any || comparison.only_in_one.empty())) {
    throw Error(ErrorCode::kData,
                fmt::format("nothing to compare: the baseline has {}, the candidate {}",
                            names_of(before_arms, before_collectives),
                            names_of(after_arms, after_collectives)));
  }
  comparison.differences = differences_of(baselines, candidates);
  return comparison;
}

}  // namespace dlbench::reports
