// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks a scaling point's communication against the steps with and without it.
#include "reports/headline.h"
#include "reports/validation/arithmetic_internal.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::reports {
namespace {

void check_in_step(const Checker& check,
                   const ScalingPointRecord& point,
                   const StepCollectivesRecord& in_step) {
  const Checker inside = check.at("in_step");
  const auto amount = [&inside](const char* key, const EstimateRecord& estimate) {
    inside.at(key).expect_middle_of_amount(estimate.mean, estimate.ci95);
  };
  amount("all_reduce_s", in_step.all_reduce_s);
  amount("exposed_all_reduce_s", in_step.exposed_all_reduce_s);
  amount("waiting_s", in_step.waiting_s);
  amount("other_collectives_s", in_step.other_collectives_s);
  inside.at("contention_s").expect_middle(in_step.contention_s.mean, in_step.contention_s.ci95);
  const double blocked_s =
      in_step.exposed_all_reduce_s.mean + in_step.waiting_s.mean + in_step.other_collectives_s.mean;
  const double sum_s = blocked_s + in_step.contention_s.mean;
  if (point.exposed_communication_s.has_value()) {
    inside.expect(std::abs(*point.exposed_communication_s - sum_s) <=
                      kTolerance * (blocked_s + std::abs(in_step.contention_s.mean)),
                  fmt::format("the parts sum to {}, but exposed_communication_s is {}",
                              sum_s,
                              *point.exposed_communication_s));
  }
  if (point.overlap.has_value() && in_step.all_reduce_s.mean > 0.0) {
    check.at("overlap").expect_close(
        *point.overlap,
        1.0 - in_step.exposed_all_reduce_s.mean / in_step.all_reduce_s.mean,
        "1 - in_step.exposed_all_reduce_s / in_step.all_reduce_s");
  }
}

void check_sums(const Checker& check, const ScalingPointRecord& point) {
  const auto inside = [&check](const char* key,
                               const std::optional<double>& value,
                               const std::optional<IntervalRecord>& interval) {
    if (value.has_value()) {
      check.at(key).expect_middle(*value, interval);
    }
  };
  inside("exposed_communication_ci95",
         point.exposed_communication_s,
         point.exposed_communication_ci95);
  inside("waiting_ci95", point.waiting_s, point.waiting_ci95);
  inside("transfer_ci95", point.transfer_s, point.transfer_ci95);
  inside("overlap_ci95", point.overlap, point.overlap_ci95);
  if (point.exposed_communication_s.has_value() && point.waiting_s.has_value() &&
      point.transfer_s.has_value()) {
    const double sum = *point.waiting_s + *point.transfer_s;
    const double scale = std::abs(*point.waiting_s) + std::abs(*point.transfer_s);
    check.at("exposed_communication_s")
        .expect(
            std::abs(*point.exposed_communication_s - sum) <= kTolerance * scale,
            fmt::format(
                "is {}, but waiting_s + transfer_s is {}", *point.exposed_communication_s, sum));
  }
  if (point.all_reduce_s.has_value()) {
    check.at("all_reduce_ci95").expect_middle_of_amount(*point.all_reduce_s, point.all_reduce_ci95);
  }
  if (point.in_step.has_value()) {
    check_in_step(check, point, *point.in_step);
  }
  check.at("slowest_rank")
      .expect(!point.slowest_rank.has_value() || *point.slowest_rank < point.ranks,
              fmt::format("is not one of {} ranks", point.ranks));
}

using Round = std::pair<std::int64_t, std::int64_t>;  // invocation, number within it

/// Returns the repetitions that count, by round.
std::map<Round, const RepetitionRecord*> counted_rounds(const TrialRecord& trial) {
  std::map<Round, const RepetitionRecord*> rounds;
  for (const RepetitionRecord& repetition : trial.repetitions) {
    if (!repetition.discarded.has_value() && repetition.steps > 0) {
      rounds[{repetition.invocation, repetition.round}] = &repetition;
    }
  }
  return rounds;
}

/// Bounds of the ranks' mean time as a share of wall_s, which is the slowest rank's. Exact if each
/// rank reports its time over all rounds, these have equally many steps, so that all weigh alike,
/// and the other trial has all of them.
struct MeanShare {
  double least = 0.0;
  double most = 1.0;
};

MeanShare mean_share(const TrialRecord& trial, const TrialRecord& other) {
  double of_ranks_s = 0.0;
  double of_slowest_s = 0.0;
  bool told = static_cast<std::int64_t>(trial.per_rank.size()) == trial.ranks;
  for (const RankRecord& rank : trial.per_rank) {
    of_ranks_s += rank.wall_s.value_or(0.0) / static_cast<double>(trial.ranks);
    told = told && rank.wall_s.has_value();
  }
  const auto rounds = counted_rounds(trial);
  const auto others = counted_rounds(other);
  for (const auto& [round, repetition] : rounds) {
    of_slowest_s += repetition->wall_s;
    told = told && others.contains(round) && repetition->steps == rounds.begin()->second->steps;
  }
  if (!told || of_slowest_s <= 0.0) {
    return {.least = 1.0 / static_cast<double>(trial.ranks)};
  }
  return {of_ranks_s / of_slowest_s, of_ranks_s / of_slowest_s};
}

/// Checks `value_s`, a mean over ranks and over the steps of each round that both trials have,
/// against the time of these repetitions of `trial`. Near, not equal: ranks' delays vary between
/// rounds, and the host may lose its processor after the last step, see step_sum_slack_s().
void expect_mean_step(const Checker& check,
                      double value_s,
                      const TrialRecord& trial,
                      const TrialRecord& other,
                      bool on_host) {
  constexpr double kNear = 0.1;
  constexpr double kTimeSliceS = 0.05;
  const auto own = counted_rounds(trial);
  const auto others = counted_rounds(other);
  double sum_s = 0.0;
  double slack_s = 0.0;
  double rounds = 0.0;
  for (const auto& [round, repetition] : own) {
    if (!others.contains(round) || repetition->step_wall_s.empty()) {
      continue;
    }
    const auto steps = static_cast<double>(repetition->steps);
    sum_s += repetition->wall_s / steps;
    slack_s += (on_host ? kTimeSliceS : step_sum_slack_s(trial, *repetition)) / steps;
    rounds += 1.0;
  }
  if (rounds == 0.0) {
    check.expect(false, "is not null, but no round has both synthetic trials");
    return;
  }
  const MeanShare share = mean_share(trial, other);
  const double step_s = sum_s / rounds;
  const double min_s = (1.0 - kNear) * share.least * step_s - slack_s / rounds;
  const double max_s = (1.0 + kNear) * share.most * step_s + slack_s / rounds;
  check.expect(min_s <= value_s && value_s <= max_s,
               fmt::format("makes a step of {} s, but those of {} took {} s, the slowest rank's",
                           value_s,
                           trial.variant.value_or("the synthetic trial"),
                           step_s));
}

void check_slowest_rank(const Checker& check,
                        const ScalingPointRecord& point,
                        const StepTimeRecord& slowest) {
  if (point.nocomm_s.has_value() && point.waiting_s.has_value()) {
    const double step_s = *point.nocomm_s + *point.waiting_s;
    check.at("waiting_s")
        .expect(slowest.min * (1.0 - kTolerance) <= step_s &&
                    step_s <= slowest.max * (1.0 + kTolerance),
                fmt::format("makes a step of {} s of the slowest rank, but they took {} to {} s",
                            step_s,
                            slowest.min,
                            slowest.max));
  }
  if (point.slowest_share.has_value()) {
    const auto all = static_cast<double>(slowest.n);
    const double steps = *point.slowest_share * all;
    const bool largest = steps * static_cast<double>(point.ranks) >= all * (1.0 - kTolerance) &&
                         steps <= all * (1.0 + kTolerance);
    check.at("slowest_share")
        .expect(largest && close(steps, std::round(steps)),
                fmt::format("is {}, which is not the largest of {} ranks' shares of {} steps",
                            *point.slowest_share,
                            point.ranks,
                            slowest.n));
    // Its loss is at most the time of the steps in which it was the last.
    const double lost_share = point.slowest_lost_share.value_or(0.0);
    check.at("slowest_lost_share")
        .expect(lost_share * slowest.min <= *point.slowest_share * slowest.max * (1.0 + kTolerance),
                fmt::format("is {} of the time of steps of {} to {} s, but it was the last in {} "
                            "of them",
                            lost_share,
                            slowest.min,
                            slowest.max,
                            *point.slowest_share));
  }
}

/// A figure of a point, and the key of ScalingPointRecord::missing that explains its absence.
struct PointFigure {
  const char* key;
  const char* reason_key;
  bool there;
};

std::vector<PointFigure> figures_of(const ScalingPointRecord& point) {
  return {{"speedup", "speedup", point.speedup.has_value()},
          {"efficiency", "speedup", point.efficiency.has_value()},
          {"nocomm_s", "nocomm_s", point.nocomm_s.has_value()},
          {"exposed_communication_s", "nocomm_s", point.exposed_communication_s.has_value()},
          {"exposed_communication_ci95", "nocomm_s", point.exposed_communication_ci95.has_value()},
          {"waiting_s", "nocomm_s", point.waiting_s.has_value()},
          {"waiting_ci95", "nocomm_s", point.waiting_ci95.has_value()},
          {"transfer_s", "nocomm_s", point.transfer_s.has_value()},
          {"transfer_ci95", "nocomm_s", point.transfer_ci95.has_value()},
          {"all_reduce_s", "all_reduce_s", point.all_reduce_s.has_value()},
          {"all_reduce_ci95", "all_reduce_s", point.all_reduce_ci95.has_value()},
          {"in_step", "in_step", point.in_step.has_value()},
          {"overlap", "in_step", point.overlap.has_value()},
          {"overlap_ci95", "in_step", point.overlap_ci95.has_value()},
          {"slowest_rank", "slowest_rank", point.slowest_rank.has_value()},
          {"slowest_host", "slowest_rank", point.slowest_host.has_value()},
          {"slowest_share", "slowest_rank", point.slowest_share.has_value()},
          {"slowest_lost_share", "slowest_rank", point.slowest_lost_share.has_value()},
          {"attribution", "attribution", point.attribution.has_value()}};
}

/// Checks that each figure has either a value or a reason; one rank has no communication.
void check_missing(const Checker& check, const ScalingPointRecord& point) {
  static const std::set<std::string> of_several = {
      "nocomm_s", "all_reduce_s", "in_step", "slowest_rank"};
  for (const PointFigure& figure : figures_of(point)) {
    if (!figure.there) {
      continue;
    }
    const Checker at = check.at(figure.key);
    at.expect(point.ranks > 1 || !of_several.contains(figure.reason_key),
              "is not null, but one rank has no communication");
    at.expect(!point.missing.has_value() || !point.missing->contains(figure.reason_key),
              fmt::format("is not null, but missing.{} says why there is none", figure.reason_key));
  }
}

}  // namespace

void check_communication(const Checker& check,
                         const ScalingPointRecord& point,
                         const CommunicationTrials& trials) {
  check_sums(check, point);
  check_missing(check, point);
  if (trials.with == nullptr || trials.without == nullptr) {
    const bool of_both = std::ranges::any_of(figures_of(point), [](const PointFigure& figure) {
      const std::string_view reason_key = figure.reason_key;
      return figure.there && (reason_key == "nocomm_s" || reason_key == "slowest_rank");
    });
    check.expect(!of_both, "has figures of communication, but not both synthetic trials");
    return;
  }
  if (point.nocomm_s.has_value()) {
    expect_mean_step(
        check.at("nocomm_s"), *point.nocomm_s, *trials.without, *trials.with, trials.on_host);
  }
  if (point.nocomm_s.has_value() && point.exposed_communication_s.has_value()) {
    expect_mean_step(check.at("exposed_communication_s"),
                     *point.nocomm_s + *point.exposed_communication_s,
                     *trials.with,
                     *trials.without,
                     trials.on_host);
  }
  const ScalingTrialRecord* without = find_trial(point.trials, "synthetic/nocomm");
  if (without != nullptr && without->step_time_s.has_value()) {
    check_slowest_rank(check, point, *without->step_time_s);
  }
}

}  // namespace dlbench::reports
