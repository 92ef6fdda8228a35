// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/overhead.h"

#include "engine/graph/graph_builder.h"
#include "harness/trials/graph_arm.h"
#include "harness/trials/step_loop.h"

#include <algorithm>
#include <array>

namespace dlbench::harness {
namespace {

constexpr std::int64_t kStepsPerBlock = 2000;

}  // namespace

double measure_harness_overhead(backend::Backend& backend, RunGuard& guard) {
  GraphArm arm(backend, graph::GraphBuilder(graph::Mode::kTrain).finish());
  std::array<double, 5> blocks{};
  for (double& block : blocks) {
    const reports::RepetitionRecord repetition =
        time_steps(arm, RepetitionLength::exactly(kStepsPerBlock), &guard);
    block = repetition.wall_s / static_cast<double>(kStepsPerBlock);
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks[blocks.size() / 2];
}

}  // namespace dlbench::harness
