// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A small network with its state, one batch of data and executors, on any backend.
#pragma once

#include "engine/backend/backend.h"
#include "engine/comm/self.h"
#include "engine/core/host_tensor.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "engine/graph/graph.h"
#include "engine/graph/passes.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dlbench::exec::testing {

struct SmallTrainingOptions {
  bool classifier = false;  ///< small_classifier instead of small_unet
  std::int64_t batch = 4;
  std::int64_t size = 16;
  graph::OptimizerSpec optimizer{.kind = graph::OptimizerKind::kAdam, .learning_rate = 0.01};
  graph::BucketOptions buckets{};
  core::DType precision = core::DType::kF32;  ///< of contractions
  std::optional<graph::LossScaling> loss_scaling{};
  std::uint64_t seed = 1;
  int threads = 1;  ///< more would wait for each other on a busy machine
};

/// One fixed, learnable batch: noisy images with a bright square; the mask is the square, the label
/// says how bright it is.
class SmallTraining {
 public:
  SmallTraining(const std::string& backend_name, const SmallTrainingOptions& options);

  [[nodiscard]] backend::Backend& backend() { return *backend_; }
  [[nodiscard]] ModelState& state() { return *state_; }
  [[nodiscard]] const graph::Graph& train_graph() const { return train_graph_; }

  /// An executor of the training step or of the evaluation graph with the batch bound to it.
  [[nodiscard]] std::unique_ptr<Executor> executor(graph::Mode mode,
                                                   const ExecutorOptions& options = {});
  [[nodiscard]] std::unique_ptr<Executor> executor(graph::Mode mode,
                                                   comm::Communicator& communicator,
                                                   const ExecutorOptions& options = {});
  void bind(Executor& executor) const;

 private:
  SmallTrainingOptions options_;
  std::unique_ptr<backend::Backend> backend_;
  comm::SelfCommunicator self_;
  graph::Graph train_graph_;
  std::unique_ptr<ModelState> state_;
  core::HostTensor image_;
  core::HostTensor target_;
};

}  // namespace dlbench::exec::testing
