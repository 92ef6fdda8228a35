// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/operators.h"

#include "reports/peak_rates.h"
#include "reports/statistics.h"

#include <algorithm>
#include <numeric>
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

}  // namespace

std::vector<reports::OperatorRecord> profile_operators(
    Session& session, std::int64_t steps, const std::vector<reports::PeakRecord>& peaks) {
  exec::Executor& step = session.step();
  session.state().restore();
  session.bind(session.cached_batch());
  step.run_profiled();  // untimed: warms the clock's and the nodes' caches
  std::vector<std::vector<double>> samples(step.node_seconds().size());
  for (std::int64_t repeat = 0; repeat < steps; ++repeat) {
    step.run_profiled();
    for (std::size_t node = 0; node < samples.size(); ++node) {
      samples[node].push_back(step.node_seconds()[node]);
    }
  }
  const std::optional<reports::PeakRates> found =
      reports::peak_rates(peaks, session.plan().options().precision);
  const backend::LoweredGraph& lowered = step.lowered();
  std::vector<reports::OperatorRecord> records;
  for (std::size_t node = 0; node < samples.size(); ++node) {
    std::sort(samples[node].begin(), samples[node].end());
    records.push_back(
        describe(lowered, lowered.nodes[node], percentile(samples[node], 0.5), found));
    records.back().calls = steps;
  }
  const double whole =
      std::accumulate(records.begin(), records.end(), 0.0, [](double sum, const auto& record) {
        return sum + record.s_per_step;
      });
  for (auto& record : records) {
    record.share = whole > 0.0 ? record.s_per_step / whole : 0.0;
  }
  return records;
}

}  // namespace dlbench::harness
