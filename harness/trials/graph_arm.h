// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A trial of a bare graph, without inputs or loss: for measuring the harness itself.
#pragma once

#include "engine/comm/self.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "harness/trials/arm.h"

#include <utility>

namespace dlbench::harness {

/// Runs the graph once per step.
class GraphArm final : public Arm {
 public:
  GraphArm(backend::Backend& backend, graph::Graph graph)
      : Arm({reports::TrialKind::kSynthetic, "graph"}),
        graph_(std::move(graph)),
        state_(backend, graph_, 1),
        executor_(backend, state_, communicator_, graph_, {}) {}

  void prepare() override {}
  [[nodiscard]] StepSample step() override {
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

}  // namespace dlbench::harness
