// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/scaling/bucket_caps.h"

#include "engine/core/check.h"
#include "reports/bucket_choice.h"
#include "reports/interval.h"
#include "reports/merged_taints.h"
#include "reports/statistics_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::Interval;
using reports::mean_interval_of_amounts;

std::int64_t buckets_of(const graph::Graph& graph) {
  return std::ranges::count_if(graph.nodes(), [&](const graph::Node& node) {
    return node.op == graph::OpKind::kAllReduceStart &&
           graph.value(node.inputs.front()).storage == graph::Storage::kGradient;
  });
}

// Returns the slowest rank's seconds per step, over the rounds.
std::optional<reports::EstimateRecord> step_time(const ScalingInput& input) {
  std::vector<double> step_s;
  for (const ScalingRound& round : input.sizes.front().arms.front().rounds) {
    step_s.push_back(static_cast<double>(round.samples) / round.samples_per_second /
                     static_cast<double>(round.steps));
  }
  const std::optional<Interval> mean = mean_interval_of_amounts(step_s);
  if (!mean.has_value()) {
    return std::nullopt;
  }
  return reports::EstimateRecord{mean->estimate, reports::interval_record(*mean)};
}

// A disturbance of one cap casts doubt on the comparison of all.
std::vector<reports::TaintRecord> taints_of(const ScaleRun& run) {
  constexpr const char* kWhere = "sweep of bucket caps";
  std::vector<reports::TaintRecord> taints;
  for (const auto& member : run.members()) {
    for (const TrialResult& result : member->runner().results()) {
      for (const reports::TaintRecord& taint : result.all_taints()) {
        taints.push_back({taint.code, kWhere, taint.detail});
      }
    }
  }
  if (!run.missed_noise().empty()) {
    taints.push_back({reports::Taint::kNoiseTargetMissed, kWhere, run.missed_noise()});
  }
  return reports::merged_taints(taints);
}

/// What was measured so far, by series of the `caps_mib` each; on rank 0.
BucketCapResults results_of(const ScaleRun& run, const std::vector<double>& caps_mib) {
  BucketCapResults results;
  for (std::size_t first = 0; first < run.series().size(); first += caps_mib.size()) {
    reports::BucketSweepRecord record{.ranks = run.sizes().front().ranks};
    for (std::size_t cap = 0; cap < caps_mib.size(); ++cap) {
      record.caps.push_back(
          {.bucket_cap_mib = caps_mib[cap],
           .buckets = buckets_of(run.members()[first + cap]->plan().training_graph()),
           .modelled_step_time_s = std::nullopt,
           .measured_step_time_s = step_time(run.input(first + cap))});
    }
    record.best_measured_mib = reports::best_measured_cap(record.caps);
    results.sweeps.push_back(std::move(record));
  }
  results.taints = taints_of(run);
  return results;
}

/// Adds the modelled steps of `model` to the measured ones of the same caps.
void add_model(const reports::BucketSweepRecord& model, reports::BucketSweepRecord& measured) {
  for (reports::BucketCapRecord& cap : measured.caps) {
    const auto found = std::ranges::find(
        model.caps, cap.bucket_cap_mib, &reports::BucketCapRecord::bucket_cap_mib);
    if (found != model.caps.end()) {
      cap.modelled_step_time_s = found->modelled_step_time_s;
    }
  }
  measured.best_modelled_mib = model.best_modelled_mib;
}

}  // namespace

void measure_bucket_caps(const ScaleRunOptions& options,
                         const std::vector<double>& caps_mib,
                         comm::Rendezvous& launch,
                         RunGuard& guard,
                         const std::function<void(const BucketCapResults&)>& listener) {
  DLBENCH_CHECK(!caps_mib.empty() && !options.ranks.empty());
  ScaleRunOptions each = options;
  each.series.clear();
  for (const ScaleSeries& series : options.series) {
    for (const double cap : caps_mib) {
      each.series.push_back(series);
      each.series.back().variant = fmt::format("bucket-cap-mib={:g}", cap);  // in messages
      each.series.back().session.buckets.cap_bytes = static_cast<std::int64_t>(cap * (1 << 20));
    }
  }
  each.ranks = {options.ranks.back()};
  each.keeps_time_for_facts = false;  // they are known
  each.trials = {{reports::TrialKind::kSynthetic, ""}};
  std::function<void()> tell;
  ScaleRun run(std::move(each), launch, guard, [&tell] { tell(); });
  tell = [&] {
    if (launch.rank() == 0) {
      listener(results_of(run, caps_mib));
    }
  };
  run.measure();
  tell();
}

void keep_sweeps(const std::vector<reports::BucketSweepRecord>& sweeps,
                 std::vector<reports::ScalingRecord>& series) {
  for (std::size_t index = 0; index < sweeps.size(); ++index) {
    reports::BucketSweepRecord measured = sweeps[index];
    std::optional<reports::BucketSweepRecord>& kept = series.at(index).buckets;
    if (kept.has_value()) {
      add_model(*kept, measured);
    }
    kept = std::move(measured);
  }
}

}  // namespace dlbench::harness
