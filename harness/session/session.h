// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that one measurement needs: model state, training step, loader. Arms use it.
#pragma once

#include "data/loader/prefetch_loader.h"
#include "engine/comm/compressed.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "harness/session/root_inputs.h"
#include "harness/session/session_plan.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace dlbench::harness {

/// A realised plan: state initialised, step lowered, tuned and bound, loader made (and stopped).
/// With several ranks rank 0 tunes; all lower from its decisions and start from its parameters.
class Session {
 public:
  /// Collective. Throws core::Error(kUnavailable) if the ranks' plans differ.
  explicit Session(SessionPlan& plan);

  [[nodiscard]] SessionPlan& plan() { return plan_; }
  [[nodiscard]] exec::ModelState& state() { return *state_; }
  [[nodiscard]] exec::Executor& step() { return *step_; }
  [[nodiscard]] comm::Communicator& communicator() { return *communicator_; }
  /// Returns the relative error that --compression causes in this rank's gradients of one step;
  /// nothing without compression. Runs a step: not inside a timed region. Collective.
  [[nodiscard]] std::optional<double> measure_compression_error();
  /// The loader, stopped; start() it before use, stop() it before measuring without it.
  [[nodiscard]] data::PrefetchLoader& loader() { return *loader_; }
  /// A real batch kept for the synthetic trials; with a single root the global one, on all ranks.
  [[nodiscard]] const data::Batch& cached_batch() const { return *cached_; }
  /// Whether this rank takes batches from the loader: all ranks do, or the single root only.
  [[nodiscard]] bool loads() const { return !plan_.single_root() || communicator_->rank() == 0; }
  /// Binds a batch to the step's inputs (with a single root, this rank's part); it must stay leased
  /// until the step is done.
  void bind(const data::Batch& batch);
  /// With a single root, in place of bind(): gives each rank its part of the root's `batch`, and
  /// the root's parameters. No step may be in flight. Collective.
  void scatter_batch(const data::Batch& batch);
  /// With a single root, after a step: sends the predictions of all ranks and the mean loss to the
  /// root. Collective.
  [[nodiscard]] float gather_outputs(float own_loss);
  /// The predictions of the global batch that the root received.
  [[nodiscard]] std::span<const std::byte> gathered_predictions() const {
    return root_outputs_->predictions();
  }
  /// Like SessionPlan::memory_need(), for the state that was made and the tuned plan.
  [[nodiscard]] MemoryNeed memory_need() const;
  /// Growth of the resident set by allocating state, step and loader, in bytes.
  [[nodiscard]] std::int64_t rss_growth_bytes() const { return rss_growth_bytes_; }

 private:
  void make_step();
  void make_root_exchange();
  void check_same_plan();

  SessionPlan& plan_;
  std::unique_ptr<backend::Stream> stream_;
  std::unique_ptr<comm::Communicator> communicator_;
  comm::CompressedCommunicator* compressed_ = nullptr;  ///< communicator_, if it compresses
  std::unique_ptr<exec::ModelState> state_;
  std::unique_ptr<exec::Executor> step_;
  std::unique_ptr<data::PrefetchLoader> loader_;
  data::BatchLease cached_;
  std::unique_ptr<RootInputs> root_inputs_;    ///< with a single root, on all ranks
  std::unique_ptr<RootOutputs> root_outputs_;  ///< likewise
  std::int64_t rss_growth_bytes_ = 0;
};

}  // namespace dlbench::harness
