// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The executable steps of a training: one per mode and number of samples, made on first use, all
// with one model state and, as only one runs at a time, in one arena with the size of the largest.
// A partial batch at the end of an epoch gets its own plan.
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

/// The result of one step for its batch.
struct StepOutcome {
  double loss = 0.0;
  std::vector<double> counts;  ///< see workloads/metrics.h
  std::int64_t samples = 0;    ///< of this rank
};

/// The ranks that train together: by default this process alone. The referenced objects must
/// outlive the training.
struct TrainingRanks {
  comm::Rendezvous* rendezvous = nullptr;      ///< with several ranks: all of them,
  comm::Communicator* communicator = nullptr;  ///< and how their tensors travel
  workloads::ReductionOptions reduction{};
  bool broadcast_buffers = true;  ///< rank 0's running statistics to all ranks before each step
};

/// The workload of the steps, and how they run. References must outlive the pool.
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

/// Runs training and evaluation steps. A GPU is given the next step while it works on the last one;
/// the outcome of a step is known once it is done. Thread compatible.
class StepPool {
 public:
  /// Makes the step of train mode and the model state. Collective, like run().
  explicit StepPool(StepPoolOptions options);
  StepPool(const StepPool&) = delete;
  StepPool& operator=(const StepPool&) = delete;
  /// Waits for the device before batches are given back.
  ~StepPool();

  /// The state of all steps; must not be touched while steps are in flight.
  [[nodiscard]] exec::ModelState& state() { return state_; }
  /// Makes the step unless it exists, with the same kernels on all ranks. Required before the first
  /// batch of that size on several ranks, and on one rank if making it must not be timed. `samples`
  /// of this rank; 0 makes nothing. Collective.
  void prepare(graph::Mode mode, std::int64_t samples);
  /// Makes both steps of a pass: for its batches and for its last batch. Collective.
  void prepare(graph::Mode mode, std::int64_t samples, std::int64_t last);
  /// Starts a step on the batch, which `lease`, or else the caller, keeps until its outcome was
  /// returned. Returns the outcomes known by then and not yet returned, oldest first: on the CPU
  /// that of this step, on a GPU those of finished earlier steps. Evaluate mode does not change the
  /// state. With several ranks a batch is weighted by its share of the global batch and draws the
  /// random numbers of its samples there.
  [[nodiscard]] std::vector<StepOutcome> run(graph::Mode mode,
                                             const data::Batch& batch,
                                             data::BatchLease lease = {});
  /// Waits for the steps in flight and returns their outcomes.
  [[nodiscard]] std::vector<StepOutcome> drain();
  /// Whether the last step was replayed, or will be if it runs again.
  [[nodiscard]] bool replays() const;
  /// Replaces run() in evaluate mode on a rank without samples of the batch: adds nothing to the
  /// sums that the ranks share for their loss. No step may be in flight.
  void run_without_samples();

  /// Called with each step that is made and its number of samples.
  std::function<void(const exec::Executor&, std::int64_t)> on_new_step;

 private:
  struct Step {
    workloads::BuiltWorkload built;
    std::unique_ptr<exec::Executor> executor;
  };
  /// What the graph of a training step reads from the state about its rank's part of the batch.
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
  /// Returns the step with the largest arena so far, or null.
  [[nodiscard]] const exec::Executor* largest() const;
  Step& make_step(graph::Mode mode, std::int64_t samples, const backend::LoweringOptions& lowering);
  [[nodiscard]] bool may_record(graph::Mode mode, const data::Batch& batch) const;
  [[nodiscard]] Share share_of(const data::Batch& batch) const;
  void take_share(const Share& share);
  /// Appends the outcome of the oldest step in flight to `told`, if there is one and it is done or
  /// `wait`. Returns whether it did.
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
  Step* running_ = nullptr;     ///< the step that the flights belong to
  std::deque<Flight> flights_;  ///< steps on their way, oldest first
};

}  // namespace dlbench::harness
