// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/step_estimate.h"

#include "engine/graph/op_def.h"
#include "harness/peaks/peaks.h"
#include "reports/peak_rates.h"

#include <algorithm>

namespace dlbench::harness {
namespace {

bool reads(const graph::Graph& graph, const graph::Node& node, core::DType dtype) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](graph::ValueId id) {
    return graph.value(id).dtype == dtype;
  });
}

}  // namespace

std::optional<double> estimate_step_s(const graph::Graph& step,
                                      const std::vector<reports::PeakRecord>& peaks,
                                      std::string_view wide) {
  const std::optional<reports::PeakRates> f32 = reports::peak_rates(peaks, wide);
  const std::optional<reports::PeakRates> bf16 = reports::peak_rates(peaks, "bf16");
  const std::optional<reports::PeakRates> f16 = reports::peak_rates(peaks, "fp16");
  double seconds = 0.0;
  for (const graph::Node& node : step.nodes()) {
    const std::optional<reports::PeakRates>& rates = reads(step, node, core::DType::kBF16)  ? bf16
                                                     : reads(step, node, core::DType::kF16) ? f16
                                                                                            : f32;
    if (!rates.has_value()) {
      return std::nullopt;
    }
    const graph::Cost cost = graph::op_def(node.op).cost(step, node);
    seconds += std::max(static_cast<double>(cost.flop) / rates->flop_per_s,
                        static_cast<double>(cost.bytes) / rates->bytes_per_s);
  }
  return seconds;
}

}  // namespace dlbench::harness
