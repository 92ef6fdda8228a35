// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A trial of a bare graph without inputs or loss, for measuring the harness itself.
#pragma once

#include "engine/comm/self.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "harness/trials/arm.h"

#include <optional>
#include <utility>

namespace dlbench::harness {

/// Runs the graph once per step, as StepPipeline does.
class GraphArm final : public Arm {
 public:
  GraphArm(backend::Backend& backend, graph::Graph graph)
      : Arm({reports::TrialKind::kSynthetic, "graph"}),
        graph_(std::move(graph)),
        state_(backend, graph_, 1),
        executor_(backend, state_, communicator_, graph_, {}) {}

  void prepare() override {}
  [[nodiscard]] std::optional<StepSample> step() override {
    const bool full = executor_.steps_in_flight() == exec::StepRing::kInFlight;
    std::optional<StepSample> told = full ? tell(true) : std::nullopt;
    executor_.run();
    return told.has_value() ? told : tell(false);
  }
  [[nodiscard]] std::optional<StepSample> drain() override { return tell(true); }
  void finish() override {}

 private:
  [[nodiscard]] std::optional<StepSample> tell(bool wait) {
    const std::optional<exec::FinishedStep> done =
        wait ? executor_.await_step() : executor_.poll_step();
    return done.has_value() ? std::optional(StepSample{.samples = 1, .step_s = done->total_s()})
                            : std::nullopt;
  }

  comm::SelfCommunicator communicator_;
  graph::Graph graph_;
  exec::ModelState state_;
  exec::Executor executor_;
};

}  // namespace dlbench::harness
