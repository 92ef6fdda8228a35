// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/overhead.h"

#include "engine/comm/self.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "engine/graph/graph_builder.h"
#include "harness/trials/trial_runner.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dlbench::harness {
namespace {

constexpr std::int64_t kSteps = 2000;

// A trial whose step runs a graph without nodes.
class EmptyArm final : public Arm {
 public:
  explicit EmptyArm(backend::Backend& backend)
      : Arm({reports::TrialKind::kSynthetic, "empty"}),
        graph_(graph::GraphBuilder(graph::Mode::kTrain).finish()),
        state_(backend, graph_, 1),
        executor_(backend, state_, communicator_, graph_, {}) {}

  void prepare() override {}
  StepSample step() override {
    executor_.run();
    return {.samples = 1, .loss = 0.0};
  }
  void finish() override {}

 private:
  comm::SelfCommunicator communicator_;
  graph::Graph graph_;
  exec::ModelState state_;
  exec::Executor executor_;
};

}  // namespace

double measure_harness_overhead(backend::Backend& backend, RunGuard& guard) {
  EmptyArm arm(backend);
  std::array<double, 5> blocks{};
  for (double& block : blocks) {
    const reports::RepetitionRecord repetition = TrialRunner::time_steps(arm, kSteps, true, &guard);
    block = repetition.wall_s / static_cast<double>(kSteps);
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks[blocks.size() / 2];
}

}  // namespace dlbench::harness
