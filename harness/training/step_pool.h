// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The executable steps that training needs: one per mode and number of samples, made on first use,
// all on one model state. A partial batch at the end of an epoch gets a plan of its own.
#pragma once

#include "data/batch.h"
#include "engine/backend/backend.h"
#include "engine/comm/self.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "reports/record.h"
#include "workloads/workload.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace dlbench::harness {

/// What one step says of its batch.
struct StepOutcome {
  double loss = 0.0;
  std::vector<double> counts;  ///< see workloads/metrics.h
};

class StepPool {
 public:
  /// Makes the step of `params` in train mode and with it the model state. All must outlive this.
  StepPool(const workloads::Workload& workload,
           const workloads::WorkloadParams& params,
           core::DType precision,
           backend::Backend& backend,
           const backend::LoweringOptions& lowering,
           std::uint64_t seed);

  [[nodiscard]] exec::ModelState& state() { return state_; }
  /// Runs one step on the batch and waits for it. Evaluate mode changes nothing in the state.
  [[nodiscard]] StepOutcome run(graph::Mode mode, const data::Batch& batch);

  /// Called with each step that is made.
  std::function<void(const reports::PlanRecord&)> on_new_step;

 private:
  struct Step {
    workloads::BuiltWorkload built;
    std::unique_ptr<exec::Executor> executor;
  };

  Step& step_for(graph::Mode mode, std::int64_t samples);
  [[nodiscard]] graph::Graph graph_of(const workloads::BuiltWorkload& built,
                                      graph::Mode mode) const;

  const workloads::Workload& workload_;
  workloads::WorkloadParams params_;
  core::DType precision_;
  backend::Backend& backend_;
  backend::LoweringOptions lowering_;
  comm::SelfCommunicator communicator_;
  exec::ModelState state_;
  std::map<std::pair<graph::Mode, std::int64_t>, Step> steps_;
};

}  // namespace dlbench::harness
