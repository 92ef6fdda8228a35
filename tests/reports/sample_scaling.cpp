// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The scaling series of the sample report with their trials, and its collectives.
#include "reports/interval.h"
#include "tests/reports/sample_record.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace dlbench::reports {
namespace {

IntervalRecord around(double value, double share) {
  return {value - share * std::abs(value), value + share * std::abs(value)};
}

EstimateRecord estimate(double value, double share = 0.02) { return {value, around(value, share)}; }

/// What each trial gains over one rank.
struct Speedups {
  double io = 1.0;
  double synthetic = 1.0;
  double nocomm = 1.0;
  double full = 1.0;
};

/// A trial of a point, with its repetitions in the report: `base` samples/s on one rank.
struct TrialOf {
  const char* name;
  TrialKind kind;
  std::optional<std::string> variant;
  double base;
  double speedup;
};

/// Three rates around `rate`. Those of several ranks are further apart, so that the ratio to one
/// rank's has an interval of +- 2 %.
std::vector<double> rates_around(double rate, std::int64_t ranks) {
  const double apart = ranks > 1 ? std::exp(0.00805) : 1.0;
  return {0.99 * rate / apart, rate, 1.01 * rate * apart};
}

std::vector<RoundRate> by_round(const std::vector<double>& rates) {
  std::vector<RoundRate> rounds;
  for (const double rate : rates) {
    rounds.push_back({static_cast<std::int64_t>(rounds.size()), rate});
  }
  return rounds;
}

/// No rank is faster than rank 0, of which `measured` is.
ScalingTrialRecord trial_of(const TrialOf& wanted, const TrialRecord& measured) {
  ScalingTrialRecord trial;
  trial.trial = wanted.name;
  for (const RepetitionRecord& repetition : measured.repetitions) {
    trial.steps += repetition.steps;
    trial.samples += repetition.samples;
  }
  trial.samples_per_second = measured.throughput->samples_per_second;
  const double slower = measured.ranks > 1 ? 1.01 : 1.0;
  trial.step_time_s = measured.step_time_s;
  for (double* time_s : {&trial.step_time_s->median,
                         &trial.step_time_s->p90,
                         &trial.step_time_s->p95,
                         &trial.step_time_s->p99,
                         &trial.step_time_s->min,
                         &trial.step_time_s->max}) {
    *time_s *= slower;
  }
  if (measured.ranks == 1) {
    trial.speedup = trial.efficiency = EstimateRecord{1.0, std::nullopt};
    return trial;
  }
  const auto ratio =
      paired_ratio_interval(by_round(rates_around(wanted.base * wanted.speedup, measured.ranks)),
                            by_round(rates_around(wanted.base, 1)));
  const auto ranks = static_cast<double>(measured.ranks);
  trial.speedup = EstimateRecord{ratio->estimate, IntervalRecord{ratio->lower, ratio->upper}};
  trial.efficiency = EstimateRecord{ratio->estimate / ranks,
                                    IntervalRecord{ratio->lower / ranks, ratio->upper / ranks}};
  return trial;
}

/// Each rank with its share of the batch, and all as long as the slowest.
std::vector<RankRecord> ranks_of(const TrialRecord& trial, const std::vector<std::int64_t>& local) {
  double wall_s = 0.0;
  double cpu_s = 0.0;
  std::int64_t steps = 0;
  for (const RepetitionRecord& repetition : trial.repetitions) {
    wall_s += repetition.wall_s;
    cpu_s += repetition.cpu_s.value();
    steps += repetition.steps;
  }
  std::vector<RankRecord> ranks;
  for (const std::int64_t samples : local) {
    ranks.push_back({.rank = static_cast<std::int64_t>(ranks.size()),
                     .host = "node1",
                     .device = "cpu",
                     .samples_per_second = static_cast<double>(steps * samples) / wall_s,
                     .wall_s = wall_s,
                     .cpu_s = cpu_s / static_cast<double>(local.size())});
  }
  return ranks;
}

ScalingPointRecord point_of(const std::string& series,
                            std::vector<std::int64_t> local,
                            const Speedups& speedups,
                            std::vector<TrialRecord>& measured) {
  ScalingPointRecord point;
  point.ranks = static_cast<std::int64_t>(local.size());
  point.batch_size_per_rank = local.front();
  point.global_batch_size = std::accumulate(local.begin(), local.end(), std::int64_t{0});
  point.local_batch_sizes = std::move(local);
  for (const TrialOf& wanted :
       {TrialOf{"io", TrialKind::kIo, std::nullopt, 40.0, speedups.io},
        TrialOf{"synthetic", TrialKind::kSynthetic, std::nullopt, 11.0, speedups.synthetic},
        TrialOf{"synthetic/nocomm", TrialKind::kSynthetic, "nocomm", 11.0, speedups.nocomm},
        TrialOf{"full", TrialKind::kFull, std::nullopt, 10.0, speedups.full}}) {
    TrialRecord trial =
        sample_trial(wanted.kind,
                     wanted.variant,
                     rates_around(wanted.base * wanted.speedup, point.ranks),
                     {point.ranks, point.batch_size_per_rank, point.global_batch_size});
    trial.series = series;
    if (point.ranks > 1) {
      trial.per_rank = ranks_of(trial, point.local_batch_sizes);
    }
    if (wanted.variant == "nocomm") {
      trial.taints = {{Taint::kNotConvergent, "trial synthetic/nocomm", "all-reduce left out"}};
    }
    point.trials.push_back(trial_of(wanted, trial));
    measured.push_back(std::move(trial));
  }
  const ScalingTrialRecord& full = point.trials.back();
  point.headline = full.trial;
  point.samples_per_second = full.samples_per_second;
  point.step_time_s = full.step_time_s;
  point.efficiency = full.efficiency;
  point.speedup = full.speedup;
  return point;
}

/// Numbers as they follow from a step of 0.2 s that hides 24 of 32 ms of all-reduces; `trials` ends
/// with those of this point.
void add_communication(const std::vector<TrialRecord>& trials, ScalingPointRecord& point) {
  point.nocomm_s = 0.18;
  point.exposed_communication_s = 0.02;
  point.exposed_communication_ci95 = around(0.02, 0.1);
  point.waiting_s = 0.005;
  point.waiting_ci95 = around(0.005, 0.2);
  point.transfer_s = 0.015;
  point.transfer_ci95 = around(0.015, 0.1);
  point.all_reduce_s = 0.03;
  point.all_reduce_ci95 = around(0.03, 0.1);
  point.in_step = StepCollectivesRecord{.all_reduce_s = estimate(0.032, 0.1),
                                        .exposed_all_reduce_s = estimate(0.008, 0.1),
                                        .waiting_s = estimate(0.006, 0.2),
                                        .other_collectives_s = estimate(0.001, 0.1),
                                        .contention_s = estimate(0.005, 0.5)};
  point.overlap = 0.75;
  point.overlap_ci95 = around(0.75, 0.1);
  point.slowest_rank = 1;
  point.slowest_host = "node1";
  point.slowest_share = 0.75;
  point.slowest_lost_share = 0.03;
  const TrialRecord* const last = &trials.back();  // io, synthetic, synthetic/nocomm, full
  point.attribution = sample_attribution(*(last - 3), *(last - 2), *last, last - 1);
}

ProjectionRecord projection_of(std::int64_t ranks, double step_s, const char* limit) {
  ProjectionRecord projection;
  projection.ranks = ranks;
  projection.global_batch_size = 2 * ranks;
  projection.step_time_s = estimate(step_s, 0.05);
  projection.samples_per_second = static_cast<double>(projection.global_batch_size) / step_s;
  const auto band = [](double value) {  // that of the step, the other way round
    return IntervalRecord{value / 1.05, value / 0.95};
  };
  projection.ci95 = band(projection.samples_per_second);
  projection.efficiency = {0.2 / step_s, band(0.2 / step_s)};
  projection.exposed_communication_s = step_s - 0.18;
  projection.waiting_s = 0.006;
  projection.limit = limit;
  return projection;
}

BucketSweepRecord sample_buckets() {
  BucketSweepRecord buckets;
  buckets.ranks = 4;
  buckets.caps = {{1.0, 9, 0.24, std::nullopt},
                  {25.0, 3, 0.22, estimate(0.222)},
                  {100.0, 2, 0.23, estimate(0.239)}};
  buckets.best_modelled_mib = 25.0;
  buckets.best_measured_mib = 25.0;
  return buckets;
}

}  // namespace

void add_sample_scaling(RunRecord& record) {
  std::vector<TrialRecord>& trials = record.trials;
  ScalingRecord weak;
  weak.mode = "weak";
  weak.points.push_back(point_of("weak", {2}, {}, trials));
  weak.points.push_back(point_of("weak", {2, 2}, {2.0, 1.84, 1.98, 1.8}, trials));
  add_communication(trials, weak.points.back());
  weak.points.push_back(point_of("weak", {2, 2, 2, 2}, {3.9, 3.5, 3.9, 3.4}, trials));
  add_communication(trials, weak.points.back());
  weak.fit = LinkFitRecord{"switched",
                           2e-6,
                           around(2e-6, 0.2),
                           1e-5,
                           around(1e-5, 0.1),
                           5e-10,
                           around(5e-10, 0.05),
                           2,
                           LinkRecord{1e-6, around(1e-6, 0.1), 1e-10, around(1e-10, 0.05)},
                           24,
                           0.03,
                           "collectives"};
  weak.projection = {projection_of(16, 0.23, "compute"), projection_of(64, 0.5, "communication")};
  weak.leave_largest_out =
      LeaveLargestOutRecord{4, {1, 2}, 0.22, estimate(0.231, 0.1), 0.231 / 0.22 - 1.0, true};
  weak.buckets = sample_buckets();
  ScalingRecord strong;
  strong.mode = "strong";
  strong.sweep = "ddp-options";
  strong.variant = "bucket-cap-mib=100";
  strong.options = {{"bucket-cap-mib", 100}};
  const std::string series = "strong bucket-cap-mib=100";
  strong.points.push_back(point_of(series, {3}, {}, trials));
  strong.points.push_back(point_of(series, {2, 1}, {1.9, 1.7, 1.8, 1.6}, trials));
  record.scaling = {weak, strong};
}

std::vector<CollectiveRecord> sample_collectives() {
  CollectiveRecord all_reduce;
  all_reduce.op = "all_reduce";
  all_reduce.bytes = 1'000'000;
  all_reduce.ranks = 4;
  all_reduce.dtype = "f32";
  all_reduce.transport = "shared_window";
  all_reduce.device = "A processor";
  all_reduce.in_place = true;
  all_reduce.replayed = false;
  all_reduce.time_s = {0.001, 0.0012, 0.00102, 0.0009, 0.0013, 20};
  all_reduce.algbw_gb_per_s = 1.0;
  all_reduce.busbw_gb_per_s = 1.5;
  all_reduce.fit = LinkRecord{1e-5, around(1e-5, 0.1), 1e-9, around(1e-9, 0.05)};
  CollectiveRecord broadcast = all_reduce;
  broadcast.op = "broadcast";
  broadcast.busbw_gb_per_s = 1.0;
  return {all_reduce, broadcast};
}

}  // namespace dlbench::reports
