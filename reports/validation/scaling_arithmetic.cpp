// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks the relations between conclusions from a scaling series.
#include "engine/core/split_list.h"
#include "reports/bucket_choice.h"
#include "reports/validation/arithmetic_internal.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace dlbench::reports {
namespace {

/// Checks that rate and efficiency belong to one step, with its band.
void check_projection(const Checker& check, const ProjectionRecord& projection) {
  const EstimateRecord& step = projection.step_time_s;
  check.at("ci95").expect_inside(projection.samples_per_second, projection.ci95);
  check.at("step_time_s").expect_inside(step);
  check.at("efficiency").expect_inside(projection.efficiency);
  check.at("waiting_s")
      .expect(0.0 <= projection.waiting_s &&
                  projection.waiting_s <= projection.exposed_communication_s * (1.0 + kTolerance),
              fmt::format("is {}, which is no part of exposed_communication_s, {}",
                          projection.waiting_s,
                          projection.exposed_communication_s));
  check.at("exposed_communication_s")
      .expect(projection.exposed_communication_s <= step.mean * (1.0 + kTolerance),
              fmt::format("is {}, which is more than the step, {}",
                          projection.exposed_communication_s,
                          step.mean));
  if (!(step.mean > 0.0)) {
    return;
  }
  const auto samples = static_cast<double>(projection.global_batch_size);
  check.at("samples_per_second")
      .expect_close(projection.samples_per_second,
                    samples / step.mean,
                    "global_batch_size / step_time_s.mean");
  if (!step.ci95.has_value() || !((*step.ci95)[0] > 0.0)) {
    return;
  }
  const auto band = [&step](double per_s) {
    return IntervalRecord{per_s / (*step.ci95)[1], per_s / (*step.ci95)[0]};
  };
  const IntervalRecord rates = band(samples);
  check.at("ci95").expect_interval(
      projection.ci95, rates, rates[1], "by the band of step_time_s it");
  const IntervalRecord efficiencies = band(projection.efficiency.mean * step.mean);
  check.at("efficiency.ci95")
      .expect_interval(projection.efficiency.ci95,
                       efficiencies,
                       efficiencies[1],
                       "by the band of step_time_s it");
}

/// All efficiencies have one baseline, so the rate per rank over the efficiency is constant.
void check_projections(const Checker& check, const std::vector<ProjectionRecord>& projections) {
  const auto baseline_rate = [](const ProjectionRecord& projection) {
    return projection.samples_per_second / static_cast<double>(projection.ranks) /
           projection.efficiency.mean;
  };
  for (std::size_t index = 0; index < projections.size(); ++index) {
    const Checker below = check.at("projection", index);
    check_projection(below, projections[index]);
    below.at("ranks").expect(index == 0 || projections[index].ranks > projections[index - 1].ranks,
                             "ranks do not ascend");
    below.at("efficiency")
        .expect(close(baseline_rate(projections[index]), baseline_rate(projections.front())),
                "is against another baseline than that of the first projection");
  }
}

void check_leave_largest_out(const Checker& check,
                             const LeaveLargestOutRecord& left,
                             const ScalingRecord& scaling) {
  const std::int64_t largest = scaling.points.empty() ? left.ranks : scaling.points.back().ranks;
  check.at("ranks").expect(
      left.ranks == largest,
      fmt::format("is {}, but the largest measured number of ranks is {}", left.ranks, largest));
  const EstimateRecord& predicted = left.predicted_step_time_s;
  check.at("predicted_step_time_s").expect_inside(predicted);
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
  for (std::size_t index = 0; index < buckets.caps.size(); ++index) {
    const std::optional<EstimateRecord>& step = buckets.caps[index].measured_step_time_s;
    if (step.has_value()) {
      check.at("caps", index).at("measured_step_time_s").expect_inside(*step);
    }
  }
  const auto expect_best = [&check](const char* key,
                                    const std::optional<double>& best,
                                    const std::optional<double>& by_steps) {
    check.at(key).expect(best == by_steps,
                         by_steps.has_value()
                             ? fmt::format("is not {}, the cap with the shortest step", *by_steps)
                             : "the steps cannot tell which cap is the best");
  };
  // Earlier reports name the best cap even if it differs by less.
  if (const auto by_any = best_modelled_cap(buckets.caps, 1e-9);
      !by_any.has_value() || buckets.best_modelled_mib != by_any) {
    expect_best("best_modelled_mib", buckets.best_modelled_mib, best_modelled_cap(buckets.caps));
  }
  expect_best("best_measured_mib", buckets.best_measured_mib, best_measured_cap(buckets.caps));
}

void check_fit(const Checker& check, const LinkFitRecord& fit) {
  check.at("overhead_s").expect_inside(fit.overhead_s, fit.overhead_s_ci95);
  check_link(check, fit);
  if (fit.inside.has_value()) {
    check_link(check.at("inside"), *fit.inside);
  }
}

void check_scaling(const Checker& check, const ScalingRecord& scaling, const RunRecord& record) {
  check_points(check, scaling, record);
  if (scaling.fit.has_value()) {
    check_fit(check.at("fit"), *scaling.fit);
  }
  check_projections(check, scaling.projection);
  if (scaling.leave_largest_out.has_value()) {
    check_leave_largest_out(check.at("leave_largest_out"), *scaling.leave_largest_out, scaling);
  }
  if (scaling.buckets.has_value()) {
    const Checker below = check.at("buckets");
    check_buckets(below, *scaling.buckets);
    const std::int64_t ranks = scaling.buckets->ranks;
    below.at("ranks").expect(
        std::ranges::count(scaling.points, ranks, &ScalingPointRecord::ranks) > 0,
        fmt::format("is {}, of which there is no point", ranks));
  }
}

/// A sweep has its own modes.
void check_modes(const Checker& check, const RunRecord& record) {
  if (record.run.status != RunStatus::kComplete ||
      !text_in(record.config.effective, "sweep").empty()) {
    return;
  }
  for (const std::string& mode : core::split_list(text_in(record.config.effective, "mode"))) {
    check.expect(std::ranges::count(record.scaling, mode, &ScalingRecord::mode) > 0,
                 fmt::format("has no {} series, which the option mode asks for", mode));
  }
}

}  // namespace

void check_all_scaling(const Checker& root, const RunRecord& record) {
  std::set<std::tuple<std::string, std::string, std::string>> all;
  for (std::size_t index = 0; index < record.scaling.size(); ++index) {
    const ScalingRecord& series = record.scaling[index];
    const Checker check = root.at("scaling", index);
    check_scaling(check, series, record);
    check.expect(all.insert({series.mode, series.sweep, series.variant}).second,
                 "is there twice: same mode, sweep and variant");
  }
  check_modes(root.at("scaling"), record);
}

}  // namespace dlbench::reports
