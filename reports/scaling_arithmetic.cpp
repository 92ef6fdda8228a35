// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The relations between the numbers of a scaling series and of a collective.
#include "reports/arithmetic_internal.h"
#include "reports/bucket_choice.h"
#include "reports/bus_factor.h"

#include <cstdint>
#include <numeric>
#include <string_view>

namespace dlbench::reports {
namespace {

/// Efficiencies are geometric means over paired rounds, the rates arithmetic means: near, not
/// equal.
constexpr double kPairedTolerance = 0.05;

void expect_estimate(const Checker& check, const std::optional<EstimateRecord>& estimate) {
  if (estimate.has_value()) {
    check.expect_inside(estimate->mean, estimate->ci95);
  }
}

/// Of the same trial.
const ScalingTrialRecord* find_trial(const ScalingPointRecord& point, std::string_view name) {
  for (const ScalingTrialRecord& trial : point.trials) {
    if (trial.trial == name) {
      return &trial;
    }
  }
  return nullptr;
}

void check_batch(const Checker& check, const ScalingPointRecord& point) {
  const std::vector<std::int64_t>& local = point.local_batch_sizes;
  if (local.empty()) {
    return;
  }
  check.at("local_batch_sizes")
      .expect(static_cast<std::int64_t>(local.size()) == point.ranks,
              fmt::format("has {} entries for {} ranks", local.size(), point.ranks));
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

/// The trials of a series at one number of ranks, with their repetitions.
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

/// The one of a name, such as synthetic/nocomm; null: a report that holds the points alone.
const TrialRecord* find_measured(const std::vector<const TrialRecord*>& trials,
                                 std::string_view name) {
  for (const TrialRecord* trial : trials) {
    const std::string variant = trial->variant.has_value() ? "/" + *trial->variant : "";
    if (std::string(word(trial->kind)) + variant == name) {
      return trial;
    }
  }
  return nullptr;
}

void check_against_measured(const Checker& check,
                            const ScalingTrialRecord& trial,
                            const TrialRecord& measured) {
  std::int64_t samples = 0;
  for (const RepetitionRecord& repetition : measured.repetitions) {
    samples = sum_of(samples, repetition.discarded.has_value() ? 0 : repetition.samples);
  }
  check.at("samples").expect(
      trial.samples == samples,
      fmt::format("is {}, but the repetitions have {}", trial.samples, samples));
  const std::vector<double> rates = counted_rates(measured);
  check.at("samples_per_second")
      .expect(trial.samples_per_second.has_value() || rates.empty(),
              "is null although repetitions count");
  if (trial.samples_per_second.has_value()) {
    check_rates(check.at("samples_per_second"), *trial.samples_per_second, rates);
  }
}

/// Speedup by the rounds that both sizes have.
void check_paired_scaling(const Checker& check,
                          const ScalingTrialRecord& trial,
                          const TrialRecord& measured,
                          const TrialRecord& baseline) {
  const std::vector<RoundRate> rates = round_rates(measured);
  const std::vector<RoundRate> base = round_rates(baseline);
  if (&measured == &baseline || !usable(rates) || !usable(base)) {
    return;
  }
  const std::optional<Interval> ratio = paired_ratio_interval(rates, base);
  if (!ratio.has_value()) {
    return;
  }
  const auto expect_ratio =
      [&](const char* key, const std::optional<EstimateRecord>& written, double factor) {
        if (written.has_value()) {
          const Checker at = check.at(key);
          const char* const meaning = "of the rounds of both sizes it";
          const IntervalRecord ci95{ratio->lower * factor, ratio->upper * factor};
          at.expect_close(written->mean, ratio->estimate * factor, meaning);
          at.at("ci95").expect_interval(written->ci95, ci95, ci95[1], meaning);
        }
      };
  expect_ratio("speedup", trial.speedup, 1.0);
  expect_ratio("efficiency",
               trial.efficiency,
               static_cast<double>(baseline.ranks) / static_cast<double>(measured.ranks));
}

double relative_scatter(const RateSummary& rates) {
  return rates.stddev.value_or(0.0) / rates.mean;
}

/// efficiency = (X_N / N) / (X_b / b), speedup = X_N / X_b.
void check_trial_scaling(const Checker& check,
                         const ScalingTrialRecord& trial,
                         const ScalingTrialRecord* baseline,
                         std::int64_t ranks,
                         std::int64_t baseline_ranks) {
  expect_estimate(check.at("efficiency"), trial.efficiency);
  expect_estimate(check.at("speedup"), trial.speedup);
  if (!trial.samples_per_second.has_value() || baseline == nullptr ||
      !baseline->samples_per_second.has_value() || baseline->samples_per_second->mean <= 0.0) {
    return;
  }
  const double speedup = trial.samples_per_second->mean / baseline->samples_per_second->mean;
  const double efficiency =
      speedup * static_cast<double>(baseline_ranks) / static_cast<double>(ranks);
  // Means of ratios and ratios of means part with the scatter of the rates.
  const double tolerance = kPairedTolerance + relative_scatter(*trial.samples_per_second) +
                           relative_scatter(*baseline->samples_per_second);
  const auto expect_near = [&check, tolerance](const char* key,
                                               const std::optional<EstimateRecord>& value,
                                               double wanted) {
    if (value.has_value()) {
      check.at(key).expect(
          close(value->mean, wanted, tolerance),
          fmt::format("is {}, but the mean rates make it {}", value->mean, wanted));
    }
  };
  expect_near("efficiency", trial.efficiency, efficiency);
  expect_near("speedup", trial.speedup, speedup);
}

void check_headline(const Checker& check, const ScalingPointRecord& point) {
  const ScalingTrialRecord* headline = find_trial(point, point.headline);
  check.at("headline")
      .expect(headline != nullptr || point.trials.empty(),
              fmt::format("'{}' is not one of the trials", point.headline));
  if (headline == nullptr) {
    return;
  }
  const auto mean = [](const auto& value) { return value.has_value() ? value->mean : 0.0; };
  const auto expect_same = [&](const char* key, const auto& here, const auto& there) {
    check.at(key).expect(here.has_value() == there.has_value() && close(mean(here), mean(there)),
                         fmt::format("is not that of the trial '{}'", point.headline));
  };
  expect_same("samples_per_second", point.samples_per_second, headline->samples_per_second);
  expect_same("efficiency", point.efficiency, headline->efficiency);
  expect_same("speedup", point.speedup, headline->speedup);
}

void check_in_step(const Checker& check,
                   const ScalingPointRecord& point,
                   const StepCollectivesRecord& in_step) {
  const Checker inside = check.at("in_step");
  expect_estimate(inside.at("all_reduce_s"), in_step.all_reduce_s);
  expect_estimate(inside.at("exposed_all_reduce_s"), in_step.exposed_all_reduce_s);
  expect_estimate(inside.at("waiting_s"), in_step.waiting_s);
  expect_estimate(inside.at("other_collectives_s"), in_step.other_collectives_s);
  expect_estimate(inside.at("contention_s"), in_step.contention_s);
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

void check_communication(const Checker& check, const ScalingPointRecord& point) {
  const auto inside = [&check](const char* key,
                               const std::optional<double>& value,
                               const std::optional<IntervalRecord>& interval) {
    if (value.has_value()) {
      check.at(key).expect_inside(*value, interval);
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
    check.at("all_reduce_ci95").expect_inside(*point.all_reduce_s, point.all_reduce_ci95);
  }
  if (point.in_step.has_value()) {
    check_in_step(check, point, *point.in_step);
  }
  check.at("slowest_rank")
      .expect(!point.slowest_rank.has_value() || *point.slowest_rank < point.ranks,
              fmt::format("is not one of {} ranks", point.ranks));
}

void check_projection(const Checker& check, const ProjectionRecord& projection) {
  check.at("ci95").expect_inside(projection.samples_per_second, projection.ci95);
  expect_estimate(check.at("step_time_s"), projection.step_time_s);
  expect_estimate(check.at("efficiency"), projection.efficiency);
  if (projection.step_time_s.mean > 0.0) {
    check.at("samples_per_second")
        .expect_close(
            projection.samples_per_second,
            static_cast<double>(projection.global_batch_size) / projection.step_time_s.mean,
            "global_batch_size / step_time_s.mean");
  }
}

void check_leave_largest_out(const Checker& check, const LeaveLargestOutRecord& left) {
  const EstimateRecord& predicted = left.predicted_step_time_s;
  expect_estimate(check.at("predicted_step_time_s"), predicted);
  for (const std::int64_t ranks : left.from_ranks) {
    check.at("from_ranks")
        .expect(ranks < left.ranks, fmt::format("{} is not below {}", ranks, left.ranks));
  }
  if (left.measured_step_time_s <= 0.0) {
    return;
  }
  const double error = predicted.mean / left.measured_step_time_s - 1.0;
  check.at("relative_error")
      .expect(std::abs(left.relative_error - error) <= kTolerance,
              fmt::format("is {}, but predicted / measured - 1 is {}", left.relative_error, error));
  if (predicted.ci95.has_value()) {
    const auto [lower, upper] = *predicted.ci95;
    const bool inside = lower <= left.measured_step_time_s && left.measured_step_time_s <= upper;
    check.at("inside_band")
        .expect(left.inside_band == inside, "contradicts the band of predicted_step_time_s");
  }
}

void check_buckets(const Checker& check, const BucketSweepRecord& buckets) {
  for (std::size_t index = 1; index < buckets.caps.size(); ++index) {
    check.at("caps", index)
        .expect(buckets.caps[index].bucket_cap_mib > buckets.caps[index - 1].bucket_cap_mib,
                "caps do not ascend");
  }
  const auto expect_best = [&check](const char* key,
                                    const std::optional<double>& best,
                                    const std::optional<double>& by_steps) {
    check.at(key).expect(best == by_steps,
                         by_steps.has_value()
                             ? fmt::format("is not {}, the cap with the shortest step", *by_steps)
                             : "the steps cannot tell which cap is the best");
  };
  expect_best("best_modelled_mib", buckets.best_modelled_mib, best_modelled_cap(buckets.caps));
  expect_best("best_measured_mib", buckets.best_measured_mib, best_measured_cap(buckets.caps));
}

/// What a series is measured against.
struct Baseline {
  const ScalingPointRecord* point = nullptr;
  std::vector<const TrialRecord*> trials;
  std::int64_t ranks = 1;
};

void check_point_trial(const Checker& check,
                       const ScalingTrialRecord& trial,
                       const ScalingPointRecord& point,
                       const std::vector<const TrialRecord*>& measured,
                       const Baseline& baseline) {
  check_step_times(check.at("step_time_s"), trial.step_time_s);
  check.at("samples").expect(trial.samples <= product_of(trial.steps, point.global_batch_size),
                             fmt::format("{} do not fit into {} steps of {}",
                                         trial.samples,
                                         trial.steps,
                                         point.global_batch_size));
  check_trial_scaling(
      check,
      trial,
      baseline.point == nullptr ? nullptr : find_trial(*baseline.point, trial.trial),
      point.ranks,
      baseline.ranks);
  const TrialRecord* own = find_measured(measured, trial.trial);
  const TrialRecord* base = find_measured(baseline.trials, trial.trial);
  if (own != nullptr) {
    check_against_measured(check, trial, *own);
  }
  if (own != nullptr && base != nullptr) {
    check_paired_scaling(check, trial, *own, *base);
  }
}

void check_point(const Checker& check,
                 const ScalingPointRecord& point,
                 const std::vector<const TrialRecord*>& measured,
                 const Baseline& baseline,
                 const RunRecord& record) {
  check_batch(check, point);
  for (std::size_t index = 0; index < point.trials.size(); ++index) {
    check_point_trial(check.at("trials", index), point.trials[index], point, measured, baseline);
  }
  check_headline(check, point);
  check_communication(check, point);
  if (point.attribution.has_value() && !measured.empty()) {
    check_attribution(check.at("attribution"), *point.attribution, measured, record);
  }
}

}  // namespace

void check_scaling(const Checker& check, const ScalingRecord& scaling, const RunRecord& record) {
  Baseline baseline{.trials = measured_trials(scaling, scaling.baseline_ranks, record),
                    .ranks = scaling.baseline_ranks};
  for (const ScalingPointRecord& point : scaling.points) {
    if (point.ranks == scaling.baseline_ranks) {
      baseline.point = &point;
    }
  }
  for (std::size_t index = 0; index < scaling.points.size(); ++index) {
    const ScalingPointRecord& point = scaling.points[index];
    const Checker below = check.at("points", index);
    below.expect(index == 0 || point.ranks > scaling.points[index - 1].ranks,
                 "ranks do not ascend");
    check_point(below, point, measured_trials(scaling, point.ranks, record), baseline, record);
  }
  for (std::size_t index = 0; index < scaling.projection.size(); ++index) {
    check_projection(check.at("projection", index), scaling.projection[index]);
  }
  if (scaling.leave_largest_out.has_value()) {
    check_leave_largest_out(check.at("leave_largest_out"), *scaling.leave_largest_out);
  }
  if (scaling.buckets.has_value()) {
    check_buckets(check.at("buckets"), *scaling.buckets);
  }
}

void check_collective(const Checker& check, const CollectiveRecord& collective) {
  const CollectiveTimeRecord& time = collective.time_s;
  check.at("time_s").expect(time.median <= time.p95 &&
                                time.min.value_or(time.median) <= time.median &&
                                time.p95 <= time.max.value_or(time.p95),
                            "min, median, p95, max do not ascend");
  const bool measurable = collective.ranks > 1 && time.median > 0.0;
  check.at("algbw_gb_per_s")
      .expect(collective.algbw_gb_per_s.has_value() == measurable,
              measurable ? "is missing" : "has a value, but nothing travelled");
  check.at("busbw_gb_per_s")
      .expect(collective.busbw_gb_per_s.has_value() == measurable,
              measurable ? "is missing" : "has a value, but nothing travelled");
  if (collective.algbw_gb_per_s.has_value() && time.median > 0.0) {
    check.at("algbw_gb_per_s")
        .expect_close(*collective.algbw_gb_per_s,
                      static_cast<double>(collective.bytes) / time.median / 1e9,
                      "bytes / time_s.median / 10^9");
  }
  const std::optional<double> factor = bus_factor(collective.op, collective.ranks);
  if (collective.busbw_gb_per_s.has_value() && collective.algbw_gb_per_s.has_value() &&
      factor.has_value()) {
    check.at("busbw_gb_per_s")
        .expect_close(*collective.busbw_gb_per_s,
                      *collective.algbw_gb_per_s * *factor,
                      "algbw_gb_per_s times the bus factor");
  }
}

}  // namespace dlbench::reports
