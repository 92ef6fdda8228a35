// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/scaling.h"

#include "engine/core/check.h"
#include "reports/headline.h"
#include "reports/statistics.h"
#include "reports/statistics_records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::Interval;
using reports::mean_interval;
using reports::mean_interval_of_amounts;
using reports::mean_of;
using reports::paired_ratio_interval;
using reports::rate_summary;
using reports::RoundRate;
using reports::step_time_record;

constexpr const char* kSynthetic = "synthetic";
constexpr const char* kNoComm = "synthetic/nocomm";

/// Returns for each step the time of its slowest rank.
std::vector<double> slowest_times(const ScalingRound& round) {
  std::vector<double> slowest(common_steps(round), 0.0);
  for (const std::vector<double>& rank : round.step_wall_s) {
    for (std::size_t step = 0; step < slowest.size(); ++step) {
      slowest[step] = std::max(slowest[step], rank[step]);
    }
  }
  return slowest;
}

/// Returns the mean over ranks and common steps.
double mean_step(const ScalingRound& round) {
  const std::size_t steps = common_steps(round);
  double sum = 0.0;
  for (const std::vector<double>& rank : round.step_wall_s) {
    sum = std::accumulate(rank.begin(), rank.begin() + static_cast<std::ptrdiff_t>(steps), sum);
  }
  return sum / static_cast<double>(steps * round.step_wall_s.size());
}

Interval single_round(const std::vector<double>& values) {
  const double mean = mean_of(values);
  return {mean, mean, mean, static_cast<std::int64_t>(values.size()), "single round"};
}

Interval interval_of(const std::vector<double>& values) {
  return mean_interval(values).value_or(single_round(values));
}

/// Like mean_interval(), for times, none of which is below 0.
Interval interval_of_times(const std::vector<double>& times) {
  return mean_interval_of_amounts(times).value_or(single_round(times));
}

const ScalingRound* find_round(const std::vector<ScalingRound>& rounds, std::int64_t number) {
  const auto found = std::find_if(
      rounds.begin(), rounds.end(), [number](const auto& round) { return round.round == number; });
  return found == rounds.end() ? nullptr : &*found;
}

/// Returns 1 - part / whole; its interval follows from the first-order expansion of the ratio of
/// the means in the rounds' values.
std::optional<Interval> one_minus_ratio(const std::vector<double>& part,
                                        const std::vector<double>& whole) {
  const double whole_mean = mean_of(whole);
  if (whole_mean <= 0.0) {
    return std::nullopt;
  }
  const double ratio = mean_of(part) / whole_mean;
  std::vector<double> linear;
  for (std::size_t round = 0; round < part.size(); ++round) {
    linear.push_back(1.0 - ratio - (part[round] - ratio * whole[round]) / whole_mean);
  }
  return interval_of(linear);
}

/// Collects the communicators' clock readings of each round, in seconds per step.
class StepCollectivesRounds {
 public:
  /// `exposed_s`: what communication adds to a step of this round.
  void add(const ScalingRound& round, double exposed_s) {
    const comm::CommunicationTotals& spent = round.communication;
    const auto steps = static_cast<double>(round.steps * std::ssize(round.step_wall_s));
    all_reduce_.push_back(spent.all_reduce_s / steps);
    exposed_all_reduce_.push_back(spent.exposed_all_reduce_s / steps);
    waiting_.push_back((spent.exposed_s - spent.exposed_transfer_s) / steps);
    other_.push_back((spent.exposed_transfer_s - spent.exposed_all_reduce_s) / steps);
    contention_.push_back(exposed_s - spent.exposed_s / steps);
    complete_ = complete_ && spent.collectives > 0;
  }

  [[nodiscard]] std::optional<StepCollectives> summarize() const {
    if (!complete_) {
      return std::nullopt;
    }
    return StepCollectives{.all_reduce = interval_of_times(all_reduce_),
                           .exposed_all_reduce = interval_of_times(exposed_all_reduce_),
                           .waiting = interval_of_times(waiting_),
                           .other = interval_of_times(other_),
                           .contention = interval_of(contention_),
                           .overlap = one_minus_ratio(exposed_all_reduce_, all_reduce_)};
  }

 private:
  std::vector<double> all_reduce_;
  std::vector<double> exposed_all_reduce_;
  std::vector<double> waiting_;
  std::vector<double> other_;
  std::vector<double> contention_;
  bool complete_ = true;
};

std::vector<RoundRate> round_rates(const ScalingArm& arm) {
  std::vector<RoundRate> rates;
  for (const ScalingRound& round : arm.rounds) {
    rates.push_back({round.round, round.samples_per_second});
  }
  return rates;
}

std::int64_t ranks_of(const ScalingSize& size) {
  return static_cast<std::int64_t>(size.local_batch_sizes.size());
}

/// X_N / X_b of one trial.
reports::EstimateRecord speedup_of(const ScalingArm& arm, const ScalingArm& baseline) {
  const auto ratio = paired_ratio_interval(round_rates(arm), round_rates(baseline));
  if (ratio.has_value()) {
    return {ratio->estimate, reports::interval_record(*ratio)};
  }
  return {mean_of(rates_of(arm)) / mean_of(rates_of(baseline)), std::nullopt};
}

reports::EstimateRecord scaled(reports::EstimateRecord estimate, double factor) {
  estimate.mean *= factor;
  if (estimate.ci95.has_value()) {
    estimate.ci95 = {(*estimate.ci95)[0] * factor, (*estimate.ci95)[1] * factor};
  }
  return estimate;
}

reports::ScalingTrialRecord trial_record(const ScalingArm& arm,
                                         const ScalingSize& size,
                                         const ScalingSize& baseline) {
  reports::ScalingTrialRecord record;
  record.trial = arm.trial;
  std::vector<double> step_s;
  for (const ScalingRound& round : arm.rounds) {
    DLBENCH_CHECK(round.step_wall_s.empty() ||
                  round.step_wall_s.size() == size.local_batch_sizes.size())
        << round.step_wall_s.size() << " ranks timed of " << size.local_batch_sizes.size();
    record.steps += round.steps;
    record.samples += round.samples;
    const std::vector<double> slowest = slowest_times(round);
    step_s.insert(step_s.end(), slowest.begin(), slowest.end());
  }
  record.samples_per_second = rate_summary(rates_of(arm));
  record.step_time_s = step_time_record(step_s);
  if (&size == &baseline) {
    record.speedup = record.efficiency = reports::EstimateRecord{1.0, std::nullopt};
  } else if (const ScalingArm* reference = find_arm(baseline, arm.trial); reference != nullptr) {
    record.speedup = speedup_of(arm, *reference);
    record.efficiency =
        scaled(*record.speedup,
               static_cast<double>(ranks_of(baseline)) / static_cast<double>(ranks_of(size)));
  }
  return record;
}

void copy_headline(reports::ScalingPointRecord& point) {
  const reports::ScalingTrialRecord* headline = reports::headline_trial(point.trials);
  if (headline == nullptr) {
    return;
  }
  point.headline = headline->trial;
  point.samples_per_second = headline->samples_per_second;
  point.step_time_s = headline->step_time_s;
  point.efficiency = headline->efficiency;
  point.speedup = headline->speedup;
}

/// Returns nothing for a single number.
std::optional<reports::IntervalRecord> measured_ci95(const Interval& interval) {
  return interval.n >= 2 ? std::optional(reports::interval_record(interval)) : std::nullopt;
}

void add_collectives(const CommunicationCost& cost, reports::ScalingPointRecord& point) {
  if (!cost.in_step.has_value()) {
    return;
  }
  const auto estimate = [](const Interval& interval) {
    return reports::EstimateRecord{interval.estimate, measured_ci95(interval)};
  };
  const StepCollectives& in_step = *cost.in_step;
  point.in_step =
      reports::StepCollectivesRecord{.all_reduce_s = estimate(in_step.all_reduce),
                                     .exposed_all_reduce_s = estimate(in_step.exposed_all_reduce),
                                     .waiting_s = estimate(in_step.waiting),
                                     .other_collectives_s = estimate(in_step.other),
                                     .contention_s = estimate(in_step.contention)};
  if (in_step.overlap.has_value()) {
    point.overlap = in_step.overlap->estimate;
    point.overlap_ci95 = measured_ci95(*in_step.overlap);
  }
}

const ScalingArm* find_synthetic(const ScalingSize& size) {
  const ScalingArm* synthetic = find_arm(size, kSynthetic);
  return synthetic != nullptr ? synthetic : find_arm(size, "synthetic/device");
}

void add_communication(const ScalingSize& size, reports::ScalingPointRecord& point) {
  const ScalingArm* nocomm = find_arm(size, kNoComm);
  const ScalingArm* synthetic = find_synthetic(size);
  if (ranks_of(size) < 2) {
    return;
  }
  point.compression_relative_error = size.compression_error;
  if (size.all_reduce_alone_s.value.has_value()) {
    const Interval alone = interval_of_times(*size.all_reduce_alone_s.value);
    point.all_reduce_s = alone.estimate;
    point.all_reduce_ci95 = measured_ci95(alone);
  }
  if (nocomm == nullptr || synthetic == nullptr) {
    return;
  }
  if (const auto late = slowest_rank(nocomm->rounds, size.hosts); late.has_value()) {
    point.slowest_rank = late->rank;
    if (!late->host.empty()) {
      point.slowest_host = late->host;
    }
    point.slowest_share = late->late_share;
    point.slowest_lost_share = late->lost_share;
  }
  const auto cost = communication_cost(synthetic->rounds, nocomm->rounds);
  if (!cost.has_value()) {
    return;
  }
  point.nocomm_s = cost->nocomm_s;
  point.exposed_communication_s = cost->exposed.estimate;
  point.exposed_communication_ci95 = measured_ci95(cost->exposed);
  point.waiting_s = cost->waiting.estimate;
  point.waiting_ci95 = measured_ci95(cost->waiting);
  point.transfer_s = cost->transfer.estimate;
  point.transfer_ci95 = measured_ci95(cost->transfer);
  add_collectives(*cost, point);
}

/// Says that something needs these trials and, if all were requested, which of them have no counted
/// repetition, as in an unfinished run. A name covers its variants too, except nocomm.
std::string needs(const ScalingSize& size,
                  std::string_view trials,
                  std::initializer_list<std::string_view> names) {
  std::string text = fmt::format("it needs the trials {}", trials);
  std::vector<std::string_view> unmeasured;
  for (const std::string_view name : names) {
    bool asked_for = false;
    bool measured = false;
    for (const ScalingArm& arm : size.arms) {
      const bool is_variant =
          arm.trial != kNoComm && arm.trial.starts_with(fmt::format("{}/", name));
      asked_for = asked_for || arm.trial == name || is_variant;
      measured = measured || ((arm.trial == name || is_variant) && !arm.rounds.empty());
    }
    if (!asked_for) {
      return text;
    }
    if (!measured) {
      unmeasured.push_back(name);
    }
  }
  return unmeasured.empty()
             ? text
             : fmt::format("{}, but no repetition of {} counts", text, fmt::join(unmeasured, ", "));
}

/// Returns the reasons for a point's missing values; see ScalingPointRecord::missing.
std::map<std::string, std::string> reasons_of(const ScalingSize& size,
                                              const reports::ScalingPointRecord& point) {
  const bool pair = find_synthetic(size) != nullptr && find_arm(size, kNoComm) != nullptr;
  const std::string communication =
      point.ranks < 2 ? "one rank has no communication"
      : pair          ? "no round has step times of all ranks in both synthetic trials"
                      : needs(size, "synthetic and synthetic/nocomm", {kSynthetic, kNoComm});
  std::map<std::string, std::string> reasons;
  const auto explain = [&reasons](const char* key, bool there, const std::string& reason) {
    if (!there) {
      reasons[key] = reason;
    }
  };
  explain("speedup",
          point.speedup.has_value(),
          point.trials.empty() ? "no repetition counts" : "the baseline lacks this trial");
  explain("nocomm_s", point.nocomm_s.has_value(), communication);
  explain("all_reduce_s",
          point.all_reduce_s.has_value(),
          point.ranks < 2 ? communication : size.all_reduce_alone_s.reason);
  explain("in_step",
          point.in_step.has_value(),
          point.nocomm_s.has_value() ? "the communicator has no clocks" : communication);
  explain("slowest_rank", point.slowest_rank.has_value(), communication);
  explain("attribution",
          point.attribution.has_value(),
          needs(size, "io, synthetic and full", {"io", kSynthetic, "full"}));
  return reasons;
}

reports::ScalingPointRecord point_record(const ScalingSize& size, const ScalingSize& baseline) {
  const std::vector<std::int64_t>& local = size.local_batch_sizes;
  reports::ScalingPointRecord point;
  point.ranks = ranks_of(size);
  point.batch_size_per_rank = *std::max_element(local.begin(), local.end());
  point.global_batch_size = std::accumulate(local.begin(), local.end(), std::int64_t{0});
  point.local_batch_sizes = local;
  for (const ScalingArm& arm : size.arms) {
    if (!arm.rounds.empty()) {
      point.trials.push_back(trial_record(arm, size, baseline));
    }
  }
  copy_headline(point);
  add_communication(size, point);
  point.attribution = size.attribution;
  if (auto reasons = reasons_of(size, point); !reasons.empty()) {
    point.missing = std::move(reasons);
  }
  return point;
}

}  // namespace

std::size_t common_steps(const ScalingRound& round) {
  std::size_t steps = round.step_wall_s.empty() ? 0 : round.step_wall_s.front().size();
  for (const std::vector<double>& rank : round.step_wall_s) {
    steps = std::min(steps, rank.size());
  }
  return steps;
}

std::vector<double> rates_of(const ScalingArm& arm) {
  std::vector<double> rates;
  for (const ScalingRound& round : arm.rounds) {
    rates.push_back(round.samples_per_second);
  }
  return rates;
}

const ScalingArm* find_arm(const ScalingSize& size, std::string_view trial) {
  const auto found = std::find_if(size.arms.begin(), size.arms.end(), [trial](const auto& arm) {
    return arm.trial == trial && !arm.rounds.empty();
  });
  return found == size.arms.end() ? nullptr : &*found;
}

std::optional<CommunicationCost> communication_cost(const std::vector<ScalingRound>& synthetic,
                                                    const std::vector<ScalingRound>& nocomm) {
  std::vector<double> plain;
  std::vector<double> exposed;
  std::vector<double> waiting;
  std::vector<double> transfer;
  StepCollectivesRounds in_step;
  for (const ScalingRound& with : synthetic) {
    const ScalingRound* without = find_round(nocomm, with.round);
    if (without == nullptr || common_steps(with) == 0 || common_steps(*without) == 0) {
      continue;
    }
    const double nocomm_s = mean_step(*without);
    plain.push_back(nocomm_s);
    exposed.push_back(mean_step(with) - nocomm_s);
    waiting.push_back(mean_of(slowest_times(*without)) - nocomm_s);
    transfer.push_back(exposed.back() - waiting.back());
    in_step.add(with, exposed.back());
  }
  if (plain.empty()) {
    return std::nullopt;
  }
  CommunicationCost cost;
  cost.nocomm_s = mean_of(plain);
  cost.exposed = interval_of(exposed);
  cost.waiting = interval_of(waiting);
  cost.transfer = interval_of(transfer);
  cost.in_step = in_step.summarize();
  return cost;
}

std::optional<SlowestRank> slowest_rank(const std::vector<ScalingRound>& nocomm,
                                        const std::vector<std::string>& hosts) {
  std::vector<std::int64_t> last;  // by rank: steps in which it was the last
  std::vector<double> lost_s;      // by rank: what the others waited in these steps
  std::int64_t steps = 0;
  double total_s = 0.0;
  for (const ScalingRound& round : nocomm) {
    const std::size_t ranks = round.step_wall_s.size();
    if (ranks < 2) {
      continue;
    }
    last.resize(ranks, 0);
    lost_s.resize(ranks, 0.0);
    for (std::size_t step = 0; step < common_steps(round); ++step) {
      std::size_t slowest = 0;
      double sum_s = 0.0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        sum_s += round.step_wall_s[rank][step];
        slowest = round.step_wall_s[rank][step] > round.step_wall_s[slowest][step] ? rank : slowest;
      }
      const double slowest_s = round.step_wall_s[slowest][step];
      const double others_s = (sum_s - slowest_s) / static_cast<double>(ranks - 1);
      ++last[slowest];
      lost_s[slowest] += slowest_s - others_s;
      total_s += slowest_s;
      ++steps;
    }
  }
  if (steps == 0) {
    return std::nullopt;
  }
  const auto worst =
      static_cast<std::size_t>(std::max_element(last.begin(), last.end()) - last.begin());
  SlowestRank slowest;
  slowest.rank = static_cast<std::int64_t>(worst);
  slowest.host = worst < hosts.size() ? hosts[worst] : std::string();
  slowest.late_share = static_cast<double>(last[worst]) / static_cast<double>(steps);
  slowest.lost_share = lost_s[worst] / total_s;
  return slowest;
}

reports::ScalingRecord summarize_scaling(const ScalingInput& input) {
  std::vector<const ScalingSize*> sizes;
  for (const ScalingSize& size : input.sizes) {
    DLBENCH_CHECK(!size.local_batch_sizes.empty()) << "a size without ranks";
    sizes.push_back(&size);
  }
  std::sort(sizes.begin(), sizes.end(), [](const ScalingSize* left, const ScalingSize* right) {
    return ranks_of(*left) < ranks_of(*right);
  });
  reports::ScalingRecord record;
  record.mode = input.mode;
  record.sweep = input.sweep;
  record.variant = input.variant;
  record.options = input.options;
  for (const ScalingSize* size : sizes) {
    DLBENCH_CHECK(record.points.empty() || record.points.back().ranks < ranks_of(*size))
        << ranks_of(*size) << " ranks twice";
    record.points.push_back(point_record(*size, *sizes.front()));
  }
  record.baseline_ranks = sizes.empty() ? 1 : ranks_of(*sizes.front());
  return record;
}

}  // namespace dlbench::harness
