// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/plan_record.h"

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
