// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The executable steps that training needs: one per mode and number of samples, made on first use,
// all on one model state and, as one runs at a time, in one arena: that of the largest. A partial
// batch at the end of an epoch gets a plan of its own.
#pragma once

#include "data/batch.h"
#include "data/loader/batch_lease.h"
#include "engine/backend/backend.h"
#include "engine/comm/rendezvous.h"
#include "engine/comm/self.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "reports/record.h"
#include "workloads/workload.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace dlbench::harness {

/// What one step says of its batch.
struct StepOutcome {
  double loss = 0.0;
  std::vector<double> counts;  ///< see workloads/metrics.h
  std::int64_t samples = 0;    ///< of this rank
};

/// Who trains together: this process alone unless said otherwise. What is named outlives the
/// training.
struct TrainingRanks {
  comm::Rendezvous* rendezvous = nullptr;      ///< with several ranks: all of them,
  comm::Communicator* communicator = nullptr;  ///< and how their tensors travel
  workloads::ReductionOptions reduction{};
  bool broadcast_buffers = true;  ///< rank 0's running statistics to all ranks before each step
};

/// Whose steps, and how they run. References outlive the pool.
struct StepPoolOptions {
  const workloads::Workload& workload;
  workloads::WorkloadParams params{};
  core::DType precision = core::DType::kF32;
  backend::Backend& backend;
  backend::LoweringOptions lowering{};
  std::uint64_t seed = 1;  ///< of the initial weights and of dropout
  TrainingRanks ranks{};
  exec::GraphReplay replay = exec::GraphReplay::kOff;
};

/// A GPU is given the next step while it works on the last one; what a step says of its batch is
/// known once it is done. Thread compatible.
class StepPool {
 public:
  /// Makes the step in train mode and with it the model state. Collective, as run() is.
  explicit StepPool(StepPoolOptions options);
  StepPool(const StepPool&) = delete;
  StepPool& operator=(const StepPool&) = delete;
  /// Waits for the device before batches are given back.
  ~StepPool();

  /// Of the steps that were run; not to be touched while some are on their way.
  [[nodiscard]] exec::ModelState& state() { return state_; }
  /// Makes the step unless there is one, with the same kernels on all ranks: before the first batch
  /// of that size, on several ranks always, on one rank where making it shall not be timed.
  /// `samples`: of this rank; none makes nothing. Collective.
  void prepare(graph::Mode mode, std::int64_t samples);
  /// Both steps of a pass: of each batch and of its last one. Collective.
  void prepare(graph::Mode mode, std::int64_t samples, std::int64_t last);
  /// Starts a step on the batch, which `lease`, or else the caller, keeps until the step was told
  /// of. Returns what is known by then of steps not yet told of, oldest first: on the CPU of this
  /// one, on a GPU of those before it that are done. Evaluate mode changes nothing in the state. On
  /// several ranks a batch counts by its share of the global batch, and draws as its samples do
  /// there.
  [[nodiscard]] std::vector<StepOutcome> run(graph::Mode mode,
                                             const data::Batch& batch,
                                             data::BatchLease lease = {});
  /// Waits for the steps that are on their way and tells of them.
  [[nodiscard]] std::vector<StepOutcome> drain();
  /// Whether the step that ran last is replayed, or will be if it runs again.
  [[nodiscard]] bool replays() const;
  /// In place of run() in evaluate mode on a rank that has no samples of the batch: adds nothing to
  /// the sums that the other ranks share for their loss. No step may be on its way.
  void run_without_samples();

  /// Called with each step that is made, and its samples.
  std::function<void(const exec::Executor&, std::int64_t)> on_new_step;

 private:
  struct Step {
    workloads::BuiltWorkload built;
    std::unique_ptr<exec::Executor> executor;
  };
  /// What the graph of a training step takes from the state of its rank's part of the batch.
  struct Share {
    double loss_gradient = 0.0;
    double first_sample = 0.0;
    [[nodiscard]] bool operator==(const Share&) const = default;
  };
  struct Flight {
    data::BatchLease lease;
    std::int64_t samples = 0;
  };

  [[nodiscard]] bool alone() const { return communicator_.size() == 1; }
  Step& step_for(graph::Mode mode, std::int64_t samples);
  /// The step with the largest arena so far; null: there is none.
  [[nodiscard]] const exec::Executor* largest() const;
  Step& make_step(graph::Mode mode, std::int64_t samples, const backend::LoweringOptions& lowering);
  [[nodiscard]] bool may_record(graph::Mode mode, const data::Batch& batch) const;
  [[nodiscard]] Share share_of(const data::Batch& batch) const;
  void take_share(const Share& share);
  /// Adds to `told` the oldest step on its way, if there is one and it is done or `wait`. Whether
  /// it did.
  bool tell(bool wait, std::vector<StepOutcome>& told);
  [[nodiscard]] graph::Graph graph_of(const workloads::BuiltWorkload& built,
                                      graph::Mode mode) const;

  StepPoolOptions options_;
  workloads::WorkloadParams params_;
  comm::SelfCommunicator self_;
  comm::Communicator& communicator_;
  exec::ModelState state_;
  std::map<std::pair<graph::Mode, std::int64_t>, Step> steps_;
  std::set<graph::Mode>
      alike_;  ///< modes whose steps all ranks make equally often, if they meet in them
  std::optional<Share> share_;  ///< in the state
  Step* running_ = nullptr;     ///< whose steps those on their way are
  std::deque<Flight> flights_;  ///< steps on their way, oldest first
};

}  // namespace dlbench::harness
