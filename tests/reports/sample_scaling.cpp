// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The scaling series and collectives of the sample report.
#include "tests/reports/sample_record.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace dlbench::reports {
namespace {

constexpr std::int64_t kTrialSteps = 12;

IntervalRecord around(double value, double share) {
  return {value - share * std::abs(value), value + share * std::abs(value)};
}

EstimateRecord estimate(double value, double share = 0.02) { return {value, around(value, share)}; }

/// One trial whose rate is `speedup` times that of one rank, `base`.
ScalingTrialRecord trial_of(const char* name,
                            double base,
                            double speedup,
                            const ScalingPointRecord& point) {
  const double rate = base * speedup;
  const double step_s = static_cast<double>(point.global_batch_size) / rate;
  ScalingTrialRecord trial;
  trial.trial = name;
  trial.steps = kTrialSteps;
  trial.samples = kTrialSteps * point.global_batch_size;
  trial.samples_per_second = sample_summary({0.99 * rate, rate, 1.01 * rate});
  trial.step_time_s = StepTimeRecord{step_s,
                                     1.01 * step_s,
                                     1.02 * step_s,
                                     1.03 * step_s,
                                     0.97 * step_s,
                                     1.04 * step_s,
                                     kTrialSteps};
  trial.efficiency = estimate(speedup / static_cast<double>(point.ranks));
  trial.speedup = estimate(speedup);
  return trial;
}

/// What each trial gains over one rank.
struct Speedups {
  double io = 1.0;
  double synthetic = 1.0;
  double nocomm = 1.0;
  double full = 1.0;
};

ScalingPointRecord point_of(std::vector<std::int64_t> local, const Speedups& speedups) {
  ScalingPointRecord point;
  point.ranks = static_cast<std::int64_t>(local.size());
  point.batch_size_per_rank = local.front();
  point.global_batch_size = std::accumulate(local.begin(), local.end(), std::int64_t{0});
  point.local_batch_sizes = std::move(local);
  point.trials = {trial_of("io", 40.0, speedups.io, point),
                  trial_of("synthetic", 11.0, speedups.synthetic, point),
                  trial_of("synthetic/nocomm", 11.0, speedups.nocomm, point),
                  trial_of("full", 10.0, speedups.full, point)};
  const ScalingTrialRecord& full = point.trials.back();
  point.headline = full.trial;
  point.samples_per_second = full.samples_per_second;
  point.step_time_s = full.step_time_s;
  point.efficiency = full.efficiency;
  point.speedup = full.speedup;
  return point;
}

/// Numbers as they follow from a step of 0.2 s that hides 24 of 32 ms of all-reduces.
void add_communication(ScalingPointRecord& point) {
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
  point.attribution = AttributionRecord{};
  point.attribution->verdict = Verdict::kCommunicationBound;
  point.attribution->limiting = "communication";
  point.attribution->margin = 0.1;
  point.attribution->explanation = "the all-reduce takes 10.0 % of the full time";
}

ProjectionRecord projection_of(std::int64_t ranks, double step_s, const char* limit) {
  ProjectionRecord projection;
  projection.ranks = ranks;
  projection.global_batch_size = 2 * ranks;
  projection.step_time_s = estimate(step_s, 0.05);
  projection.samples_per_second = static_cast<double>(projection.global_batch_size) / step_s;
  projection.ci95 = around(projection.samples_per_second, 0.05);
  projection.efficiency = estimate(0.2 / step_s, 0.05);
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

std::vector<ScalingRecord> sample_scaling() {
  ScalingRecord weak;
  weak.mode = "weak";
  weak.points = {point_of({2}, {}),
                 point_of({2, 2}, {2.0, 1.84, 1.98, 1.8}),
                 point_of({2, 2, 2, 2}, {3.9, 3.5, 3.9, 3.4})};
  weak.points[0].efficiency->ci95.reset();
  weak.points[0].trials[3].efficiency->ci95.reset();
  add_communication(weak.points[1]);
  add_communication(weak.points[2]);
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
  strong.points = {point_of({3}, {}), point_of({2, 1}, {1.9, 1.7, 1.8, 1.6})};
  return {weak, strong};
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
