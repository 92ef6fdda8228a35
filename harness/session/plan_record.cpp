// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/plan_record.h"

#include <fmt/format.h>

#include <string>

namespace dlbench::harness {

reports::PlanRecord plan_record(const exec::Executor& step, std::int64_t batch_size) {
  return {.mode = std::string(graph::name(step.graph().mode())),
          .batch_size = batch_size,
          .hash = fmt::format("{:016x}", step.plan().hash),
          .nodes = static_cast<std::int64_t>(step.lowered().nodes.size()),
          .conv_algorithms = step.lowered().decisions};
}

std::optional<reports::TaintRecord> plan_taint(const backend::LoweredGraph& step) {
  std::int64_t kernels = 0;
  const backend::LoweredNode* first = nullptr;
  for (const backend::LoweredNode& node : step.nodes) {
    if (!node.repeatable) {
      ++kernels;
      first = first == nullptr ? &node : first;
    }
  }
  if (first == nullptr) {
    return std::nullopt;
  }
  return reports::TaintRecord{
      reports::Taint::kNondeterministicPlan,
      "step",
      fmt::format("{} of {} kernels may give other bits in another run, the first of them {} ({}); "
                  "--deterministic leaves such out",
                  kernels,
                  step.nodes.size(),
                  first->name,
                  first->kernel_name)};
}

std::optional<reports::LossScalingRecord> loss_scaling_record(const exec::ModelState& state,
                                                              std::int64_t skipped_before) {
  if (!state.contains("loss_scale")) {
    return std::nullopt;
  }
  return reports::LossScalingRecord{
      .loss_scale = state.scalar("loss_scale"),
      .skipped_steps = static_cast<std::int64_t>(state.scalar("skipped_steps")) - skipped_before};
}

}  // namespace dlbench::harness
