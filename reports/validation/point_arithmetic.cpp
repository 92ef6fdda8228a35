// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks the points of a scaling series against the repetitions of its trials, which the report
// has.
#include "reports/headline.h"
#include "reports/naming.h"
#include "reports/statistics_records.h"
#include "reports/validation/arithmetic_internal.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>

namespace dlbench::reports {
namespace {

void check_local_batches(const Checker& check, const ScalingPointRecord& point) {
  const std::vector<std::int64_t>& local = point.local_batch_sizes;
  check.at("local_batch_sizes")
      .expect(static_cast<std::int64_t>(local.size()) == point.ranks,
              fmt::format("has {} entries for {} ranks", local.size(), point.ranks));
  if (local.empty()) {
    return;
  }
  const std::int64_t sum = std::accumulate(local.begin(), local.end(), std::int64_t{0}, sum_of);
  check.at("global_batch_size")
      .expect(point.global_batch_size == sum,
              fmt::format("is {}, but local_batch_sizes sum to {}", point.global_batch_size, sum));
  const std::int64_t largest = *std::max_element(local.begin(), local.end());
  check.at("batch_size_per_rank")
      .expect(point.batch_size_per_rank == largest,
              fmt::format("is {}, but the largest of local_batch_sizes is {}",
                          point.batch_size_per_rank,
                          largest));
}

std::string series_of(const ScalingRecord& scaling) {
  return scaling.variant.empty() ? scaling.mode : scaling.mode + " " + scaling.variant;
}

/// Returns the trials of a series at one number of ranks, with their repetitions.
std::vector<const TrialRecord*> measured_trials(const ScalingRecord& scaling,
                                                std::int64_t ranks,
                                                const RunRecord& record) {
  const std::string series = series_of(scaling);
  std::vector<const TrialRecord*> trials;
  for (const TrialRecord& trial : record.trials) {
    if (trial.series == series && trial.ranks == ranks) {
      trials.push_back(&trial);
    }
  }
  return trials;
}

/// Returns the trial of that name, such as synthetic/nocomm; null if there is none.
const TrialRecord* find_measured(const std::vector<const TrialRecord*>& trials,
                                 std::string_view name) {
  const auto found = std::ranges::find_if(
      trials, [name](const auto* trial) { return trial_name(*trial) == name; });
  return found == trials.end() ? nullptr : *found;
}

/// One number of ranks, and its measurements.
struct MeasuredPoint {
  const ScalingPointRecord* point = nullptr;
  std::vector<const TrialRecord*> trials;
};

void check_steps(const Checker& check,
                 const ScalingTrialRecord& trial,
                 const TrialRecord& measured) {
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  for (const RepetitionRecord& repetition : measured.repetitions) {
    const bool counts = !repetition.discarded.has_value();
    steps = sum_of(steps, counts ? repetition.steps : 0);
    samples = sum_of(samples, counts ? repetition.samples : 0);
  }
  check.at("steps").expect(trial.steps == steps,
                           fmt::format("is {}, but the repetitions have {}", trial.steps, steps));
  check.at("samples").expect(
      trial.samples == samples,
      fmt::format("is {}, but the repetitions have {}", trial.samples, samples));
}

/// Checks the slowest rank's times against rank 0's where the trial has them: equal with one rank,
/// never shorter with more.
void check_slowest_steps(const Checker& check,
                         const ScalingTrialRecord& trial,
                         const TrialRecord& measured) {
  check_step_times(check, trial.step_time_s);
  if (!trial.step_time_s.has_value() || !measured.step_time_s.has_value() ||
      trial.step_time_s->n != measured.step_time_s->n) {
    check.expect(!trial.step_time_s.has_value() && !measured.step_time_s.has_value(),
                 "is not of the steps that the trial has timed");
    return;
  }
  const auto expect = [&](const char* key, double slowest_s, double own_s) {
    check.at(key).expect(close(slowest_s, own_s) || (measured.ranks > 1 && slowest_s > own_s),
                         fmt::format("is {}, but that of rank 0 alone is {}", slowest_s, own_s));
  };
  // No step is longer than its repetition; half of the steps take at least the median, and all
  // ranks' steps together at most the ranks' time.
  double wall_s = 0.0;
  double longest_s = 0.0;
  for (const RepetitionRecord& repetition : measured.repetitions) {
    if (!repetition.discarded.has_value()) {
      wall_s += repetition.wall_s;
      longest_s = std::max(longest_s, repetition.wall_s);
    }
  }
  constexpr double kSlackS = 0.5;  // as step_sum_slack_s() has it
  check.at("max").expect(
      trial.step_time_s->max <= longest_s + kSlackS,
      fmt::format(
          "is {}, but no repetition took longer than {}", trial.step_time_s->max, longest_s));
  const auto half = static_cast<double>(trial.step_time_s->n / 2);
  const double all_s = static_cast<double>(measured.ranks) *
                       (wall_s + kSlackS * static_cast<double>(std::ssize(measured.repetitions)));
  check.at("median").expect(half * trial.step_time_s->median <= all_s,
                            fmt::format("is {} of {} steps, but all ranks together took {}",
                                        trial.step_time_s->median,
                                        trial.step_time_s->n,
                                        all_s));
  expect("median", trial.step_time_s->median, measured.step_time_s->median);
  expect("p90", trial.step_time_s->p90, measured.step_time_s->p90);
  expect("p95", trial.step_time_s->p95, measured.step_time_s->p95);
  expect("p99", trial.step_time_s->p99, measured.step_time_s->p99);
  expect("min", trial.step_time_s->min, measured.step_time_s->min);
  expect("max", trial.step_time_s->max, measured.step_time_s->max);
}

/// Returns X_N / X_b over the rounds common to both sizes; without interval if fewer than two.
EstimateRecord speedup_over(const std::vector<RoundRate>& rates,
                            const std::vector<RoundRate>& base) {
  if (const std::optional<Interval> ratio = paired_ratio_interval(rates, base)) {
    return {ratio->estimate, interval_record(*ratio)};
  }
  const auto mean = [](const std::vector<RoundRate>& rounds) {
    double sum = 0.0;
    for (const RoundRate& round : rounds) {
      sum += round.rate;
    }
    return sum / static_cast<double>(rounds.size());
  };
  return {mean(rates) / mean(base), std::nullopt};
}

/// Checks efficiency = (X_N / N) / (X_b / b), speedup = X_N / X_b; both are 1 for the baseline.
void check_speedup(const Checker& check,
                   const ScalingTrialRecord& trial,
                   const TrialRecord& measured,
                   const TrialRecord* baseline) {
  const auto expect = [&check](const char* key,
                               const std::optional<EstimateRecord>& written,
                               const std::optional<EstimateRecord>& wanted) {
    const Checker at = check.at(key);
    if (!written.has_value() || !wanted.has_value()) {
      at.expect(written.has_value() == wanted.has_value(),
                wanted.has_value() ? "is null although the baseline has this trial"
                                   : "is not null, but the baseline lacks this trial");
      return;
    }
    const char* const meaning = "of the rounds of both sizes it";
    at.expect_close(written->mean, wanted->mean, meaning);
    at.at("ci95").expect_interval(
        written->ci95, wanted->ci95, wanted->ci95.value_or(IntervalRecord{})[1], meaning);
  };
  if (baseline == nullptr) {
    expect("speedup", trial.speedup, std::nullopt);
    expect("efficiency", trial.efficiency, std::nullopt);
    return;
  }
  const std::vector<RoundRate> rates = round_rates(measured.repetitions);
  const std::vector<RoundRate> base = round_rates(baseline->repetitions);
  if (rates.empty() || base.empty()) {
    return;
  }
  if (!usable(rates) || !usable(base)) {
    check.expect(!trial.speedup.has_value() && !trial.efficiency.has_value(), kNotUsable);
    return;
  }
  const EstimateRecord speedup =
      &measured == baseline ? EstimateRecord{1.0, std::nullopt} : speedup_over(rates, base);
  EstimateRecord efficiency = speedup;
  const double factor = static_cast<double>(baseline->ranks) / static_cast<double>(measured.ranks);
  efficiency.mean *= factor;
  if (efficiency.ci95.has_value()) {
    efficiency.ci95 = {(*efficiency.ci95)[0] * factor, (*efficiency.ci95)[1] * factor};
  }
  expect("speedup", trial.speedup, speedup);
  expect("efficiency", trial.efficiency, efficiency);
}

void check_point_trial(const Checker& check,
                       const ScalingTrialRecord& trial,
                       const MeasuredPoint& here,
                       const MeasuredPoint& baseline) {
  check.at("samples").expect(
      trial.samples <= product_of(trial.steps, here.point->global_batch_size),
      fmt::format("{} do not fit into {} steps of {}",
                  trial.samples,
                  trial.steps,
                  here.point->global_batch_size));
  const TrialRecord* measured = find_measured(here.trials, trial.trial);
  if (measured == nullptr) {
    check.expect(false,
                 fmt::format("has no repetitions: trials[] lacks {} of this series on {}",
                             trial.trial,
                             count_text(here.point->ranks, "rank")));
    return;
  }
  check_steps(check, trial, *measured);
  check_slowest_steps(check.at("step_time_s"), trial, *measured);
  const std::vector<double> rates = counted_rates(measured->repetitions);
  check.at("samples_per_second")
      .expect(trial.samples_per_second.has_value() && !rates.empty(),
              "is null, or of no repetition that counts");
  if (trial.samples_per_second.has_value()) {
    check_rates(check.at("samples_per_second"), *trial.samples_per_second, rates);
  }
  const bool in_baseline = find_trial(baseline.point->trials, trial.trial) != nullptr;
  check_speedup(
      check, trial, *measured, in_baseline ? find_measured(baseline.trials, trial.trial) : nullptr);
}

/// Checks that the headline's figures are repeated in the point.
void check_headline(const Checker& check, const ScalingPointRecord& point) {
  const ScalingTrialRecord* headline = headline_trial(point.trials);
  if (headline == nullptr) {
    check.expect(!point.samples_per_second.has_value() && !point.step_time_s.has_value() &&
                     !point.efficiency.has_value() && !point.speedup.has_value(),
                 "has figures of no trial");
    return;
  }
  check.at("headline")
      .expect(
          point.headline == headline->trial,
          fmt::format("is '{}', but of these trials it is '{}'", point.headline, headline->trial));
  const auto expect_same = [&](const char* key, const auto& here, const auto& there) {
    check.at(key).expect(here == there,
                         fmt::format("is not that of the trial '{}'", headline->trial));
  };
  expect_same("samples_per_second", point.samples_per_second, headline->samples_per_second);
  expect_same("step_time_s", point.step_time_s, headline->step_time_s);
  expect_same("efficiency", point.efficiency, headline->efficiency);
  expect_same("speedup", point.speedup, headline->speedup);
}

void check_point(const Checker& check,
                 const MeasuredPoint& here,
                 const MeasuredPoint& baseline,
                 const RunRecord& record) {
  const ScalingPointRecord& point = *here.point;
  check_local_batches(check, point);
  for (std::size_t index = 0; index < point.trials.size(); ++index) {
    check_point_trial(check.at("trials", index), point.trials[index], here, baseline);
  }
  for (const TrialRecord* trial : here.trials) {
    check.at("trials").expect(find_trial(point.trials, trial_name(*trial)) != nullptr ||
                                  counted_rates(trial->repetitions).empty(),
                              fmt::format("lack {}, which was measured", trial_name(*trial)));
  }
  check_headline(check, point);
  const TrialRecord* synthetic = find_measured(here.trials, "synthetic");
  check_communication(
      check,
      point,
      {.with = synthetic == nullptr ? find_measured(here.trials, "synthetic/device") : synthetic,
       .without = find_measured(here.trials, "synthetic/nocomm"),
       .on_host = !record.workload.has_value() || record.workload->backend == "cpu"});
  if (point.attribution.has_value()) {
    check_attribution(check.at("attribution"), *point.attribution, here.trials, record);
  }
}

}  // namespace

void check_points(const Checker& check, const ScalingRecord& scaling, const RunRecord& record) {
  const std::vector<ScalingPointRecord>& points = scaling.points;
  if (points.empty()) {
    return;
  }
  check.at("baseline_ranks")
      .expect(scaling.baseline_ranks == points.front().ranks,
              fmt::format("is {}, but the smallest number of ranks is {}",
                          scaling.baseline_ranks,
                          points.front().ranks));
  const auto measured = [&](const ScalingPointRecord& point) {
    return MeasuredPoint{&point, measured_trials(scaling, point.ranks, record)};
  };
  const MeasuredPoint baseline = measured(points.front());
  for (std::size_t index = 0; index < points.size(); ++index) {
    const Checker below = check.at("points", index);
    below.expect(index == 0 || points[index].ranks > points[index - 1].ranks,
                 "ranks do not ascend");
    check_point(below, measured(points[index]), baseline, record);
  }
}

void check_series_of_trials(const Checker& root, const RunRecord& record) {
  for (std::size_t index = 0; index < record.trials.size(); ++index) {
    const TrialRecord& trial = record.trials[index];
    const bool told = std::ranges::any_of(record.scaling, [&trial](const ScalingRecord& scaling) {
      return series_of(scaling) == trial.series &&
             std::ranges::count(scaling.points, trial.ranks, &ScalingPointRecord::ranks) > 0;
    });
    root.at("trials", index)
        .at("series")
        .expect(told || !trial.series.has_value(),
                fmt::format("is '{}', of which scaling[] has no point of {} ranks",
                            trial.series.value_or(""),
                            trial.ranks));
  }
}

}  // namespace dlbench::reports
