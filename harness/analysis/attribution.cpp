// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/attribution.h"

#include "harness/analysis/attribution_internal.h"

#include <algorithm>

namespace dlbench::harness {
namespace {

reports::VerdictEvidence evidence_of(const AttributionInput& input) {
  reports::VerdictEvidence evidence = input;
  if (input.gpu.has_value()) {
    evidence.launch_idle = input.gpu->launch_idle;
  }
  if (input.io_cpu_s_per_sample.has_value()) {
    evidence.loader_cpu_s = *input.io_cpu_s_per_sample / static_cast<double>(loading_ranks(input));
  }
  return evidence;
}

}  // namespace

std::optional<double> predicted_full(const AttributionInput& input) {
  const bool both =
      !input.io.empty() && !(input.synthetic_host.empty() && input.synthetic_device.empty());
  if (!both) {
    return std::nullopt;
  }
  const reports::ArmMeans means = reports::arm_means(input);
  const double separate = std::min(means.io, means.host);
  if (!input.shared_processors) {
    return separate;
  }
  if (!input.io_cpu_s_per_sample.has_value() || !input.synthetic_cpu_s_per_sample.has_value()) {
    return std::nullopt;
  }
  const double cpu_s = *input.io_cpu_s_per_sample + *input.synthetic_cpu_s_per_sample;
  return std::min(separate, cpu_capacity(input) / cpu_s);
}

std::int64_t loading_ranks(const AttributionInput& input) {
  return input.single_root ? 1 : input.ranks;
}

double cpu_capacity(const AttributionInput& input) {
  return input.cpu_capacity.value_or(static_cast<double>(input.cores));
}

std::optional<reports::AttributionRecord> attribute(const AttributionInput& input) {
  const reports::VerdictEvidence evidence = evidence_of(input);
  if (!reports::decidable(evidence)) {
    return std::nullopt;
  }
  const std::vector<reports::PartShare> shares = reports::part_shares(evidence);
  const reports::Decision decision = reports::decide(evidence, shares);
  const reports::ArmMeans means = reports::arm_means(evidence);
  reports::AttributionRecord record;
  record.verdict = decision.verdict;
  record.limiting = reports::limiting_part(decision.verdict);
  if (decision.margin.has_value()) {
    record.margin = decision.margin->estimate;
    if (decision.margin_has_interval) {
      record.margin_ci95 = {decision.margin->lower, decision.margin->upper};
    }
  }
  record.predicted_full_samples_per_second = predicted_full(input);
  if (record.predicted_full_samples_per_second.has_value()) {
    record.overlap_efficiency = means.full / *record.predicted_full_samples_per_second;
    if (input.shared_processors) {
      record.cpu_capacity = cpu_capacity(input);
    }
  }
  for (const reports::PartShare& share : shares) {
    reports::ComponentRecord component{
        share.name, share.estimate / means.full, share.estimate, std::nullopt};
    if (share.interval.has_value()) {
      component.ci95 = {share.interval->lower, share.interval->upper};
    }
    record.components.push_back(component);
  }
  record.explanation = explanation(input, evidence, means, decision);
  record.advice = advice(input, means, decision);
  return record;
}

}  // namespace dlbench::harness
