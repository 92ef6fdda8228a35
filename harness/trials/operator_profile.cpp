// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/operator_profile.h"

#include "engine/core/clock.h"
#include "harness/session/run_guard.h"
#include "harness/trials/group_disturbance.h"
#include "reports/peak_rates.h"
#include "reports/statistics.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::percentile;

std::string layout_of(const backend::LoweredGraph& lowered, const backend::LoweredNode& node) {
  const auto& slots = node.writes.empty() ? node.reads : node.writes;
  return slots.empty() ? std::string()
                       : lowered.slots[static_cast<std::size_t>(slots.front())].layout;
}

reports::OperatorRecord describe(const backend::LoweredGraph& lowered,
                                 const backend::LoweredNode& node,
                                 double s_per_step,
                                 const std::optional<reports::PeakRates>& peaks) {
  reports::OperatorRecord record;
  record.name = node.name;
  record.op = node.is_reorder ? "reorder" : std::string(graph::name(node.op));
  record.phase = std::string(graph::name(node.phase));
  record.s_per_step = s_per_step;
  record.kernel = node.kernel_name;
  record.layout = layout_of(lowered, node);
  record.flop = static_cast<double>(node.cost.flop);
  record.bytes = static_cast<double>(node.cost.bytes);
  if (s_per_step > 0.0) {
    record.flop_per_s = *record.flop / s_per_step;
    record.bytes_per_s = *record.bytes / s_per_step;
    if (peaks.has_value()) {
      record.bound = reports::bound_of(*record.flop_per_s, *record.bytes_per_s, *peaks);
    }
  }
  return record;
}

/// Seconds of each node, of each step.
using NodeSamples = std::vector<std::vector<double>>;

NodeSamples profile_steps(exec::Executor& step, std::int64_t steps) {
  NodeSamples samples(step.node_seconds().size());
  for (std::int64_t repeat = 0; repeat < steps; ++repeat) {
    RunGuard::check_current();
    step.run_profiled();
    for (std::size_t node = 0; node < samples.size(); ++node) {
      samples[node].push_back(step.node_seconds()[node]);
    }
  }
  return samples;
}

/// Returns the same number on all ranks, whose steps meet in collectives.
std::int64_t steps_to_profile(exec::Executor& step, RankGroup& ranks) {
  constexpr double kMin = 3.0;
  constexpr double kMax = 100.0;
  constexpr double kSeconds = 0.25;
  const double begin_s = core::steady_seconds();
  step.run_profiled();  // and warms the clock's and the nodes' caches
  const double step_s = ranks.max(core::steady_seconds() - begin_s);
  return std::llround(std::clamp(std::ceil(kSeconds / std::max(step_s, 1e-6)), kMin, kMax));
}

std::vector<reports::OperatorRecord> describe_all(const backend::LoweredGraph& lowered,
                                                  NodeSamples samples,
                                                  const std::optional<reports::PeakRates>& peaks) {
  std::vector<reports::OperatorRecord> records;
  double whole = 0.0;
  for (std::size_t node = 0; node < samples.size(); ++node) {
    std::sort(samples[node].begin(), samples[node].end());
    records.push_back(
        describe(lowered, lowered.nodes[node], percentile(samples[node], 0.5), peaks));
    records.back().calls = static_cast<std::int64_t>(samples[node].size());
    whole += records.back().s_per_step;
  }
  for (auto& record : records) {
    record.share = whole > 0.0 ? record.s_per_step / whole : 0.0;
  }
  return records;
}

}  // namespace

OperatorProfile profile_operators(Session& session,
                                  RankGroup& ranks,
                                  const probes::OwnLoad& own,
                                  const std::vector<reports::PeakRecord>& peaks) {
  constexpr int kMaxProfiles = 4;
  constexpr double kLongS = 1.0;  // of all of them: a long step is not disturbed as a whole
  exec::Executor& step = session.step();
  session.state().restore();
  session.bind(session.cached_batch());
  const std::int64_t steps = steps_to_profile(step, ranks);
  NodeSamples samples;
  std::string disturbance;
  const double begin_s = core::steady_seconds();
  for (int profile = 0; profile < kMaxProfiles; ++profile) {
    const probes::ProcSnapshot begin = probes::take_snapshot();
    samples = profile_steps(step, steps);
    disturbance = judge_together(ranks, begin, probes::take_snapshot(), own).reason;
    const bool long_enough = ranks.max(core::steady_seconds() - begin_s) > kLongS;
    if (disturbance.empty() || long_enough) {  // of all ranks alike
      break;
    }
  }
  return {.operators = describe_all(step.lowered(),
                                    std::move(samples),
                                    reports::peak_rates(peaks, session.plan().options().precision)),
          .disturbance = disturbance};
}

std::map<std::int64_t, probes::GpuOpLabel> op_labels(const backend::LoweredGraph& lowered) {
  std::map<std::int64_t, probes::GpuOpLabel> labels;
  for (const graph::Phase phase : graph::kPhases) {
    labels[graph::id_outside_nodes(phase)] = {"", std::string(graph::name(phase))};
  }
  for (const backend::LoweredNode& node : lowered.nodes) {
    if (!node.covers.empty()) {
      labels[node.covers.front()] = {node.name, std::string(graph::name(node.phase))};
    }
  }
  return labels;
}

}  // namespace dlbench::harness
