// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/scaling/project_series.h"

#include "engine/core/error.h"
#include "harness/analysis/projection.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::array<double, 6> kUsualCapsMib{1.0, 4.0, 10.0, 25.0, 50.0, 100.0};

/// Describes the measurement at that many ranks, which no model may contradict; empty: none.
std::string measured_text(const reports::ScalingRecord& series, std::int64_t ranks) {
  for (const reports::ScalingPointRecord& point : series.points) {
    if (point.ranks == ranks && point.samples_per_second.has_value()) {
      return fmt::format("so many were measured: {:.4g} samples/s", point.samples_per_second->mean);
    }
  }
  return {};
}

/// Returns why a projection would mislead; empty if it does not.
std::string doubt(const reports::ProjectionRecord& projection, const std::string& mode) {
  if (mode == "strong" && projection.global_batch_size < projection.ranks) {
    return fmt::format("a global batch of {} is less than one sample for each rank",
                       projection.global_batch_size);
  }
  const auto [shortest_s, longest_s] = *projection.step_time_s.ci95;
  if (!(longest_s <= reports::kWidestBand * shortest_s)) {
    return fmt::format("what was measured is too noisy: 95 % band of the step from {} to {}",
                       reports::seconds_text(shortest_s),
                       reports::seconds_text(longest_s));
  }
  return {};
}

void project_one(const ProjectionInput& input,
                 const ProjectionRequest& request,
                 const std::string& name,
                 reports::ScalingRecord& series,
                 std::vector<reports::SkipRecord>& skipped) {
  const Projector projector(input);
  series.fit = link_fit_record(projector.link(), "collectives");
  const auto leave_out = [&](std::int64_t ranks, const std::string& why) {
    skipped.push_back({fmt::format("projection of the {} series to {} ranks", name, ranks), why});
  };
  for (const std::int64_t ranks : request.ranks) {
    if (const std::string measured = measured_text(series, ranks); !measured.empty()) {
      leave_out(ranks, measured);
      continue;
    }
    reports::ProjectionRecord projection = projector.project(ranks);
    if (const std::string why = doubt(projection, series.mode); !why.empty()) {
      leave_out(ranks, why);
      continue;
    }
    series.projection.push_back(std::move(projection));
  }
  const std::vector<double> usual(kUsualCapsMib.begin(), kUsualCapsMib.end());
  series.buckets = projector.bucket_sweep(
      request.bucket_ranks, request.bucket_caps_mib.empty() ? usual : request.bucket_caps_mib);
  if (request.leave_largest_out) {
    series.leave_largest_out = leave_largest_out(input);
  }
}

}  // namespace

void project_series(const ScaleRun& scale,
                    const ProjectionRequest& request,
                    reports::RunRecord& record) {
  for (std::size_t index = 0; index < scale.series().size(); ++index) {
    reports::ScalingRecord& series = record.scaling[index];
    const std::string name = series_name(scale.series()[index]);
    try {
      if (scale.series()[index].session.strategy == Strategy::kDataParallel) {
        throw Error(ErrorCode::kUnavailable, "the model knows all-reduces, not a single root");
      }
      project_one(scale.projection_input(index), request, name, series, record.run.skipped);
    } catch (const Error& error) {
      record.run.skipped.push_back({"projection of the " + name + " series", error.what()});
    }
  }
}

}  // namespace dlbench::harness
