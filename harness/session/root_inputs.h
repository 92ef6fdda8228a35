// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a step receives from rank 0 and returns there when rank 0 holds the global batch: --strategy
// data-parallel.
#pragma once

#include "data/batch.h"
#include "engine/backend/backend.h"
#include "engine/comm/communicator.h"
#include "engine/exec/executor.h"
#include "workloads/workload.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Memory for the global batch, shared between the ranks where possible. Calls are collective.
class RootInputs {
 public:
  /// `first_samples`: the first sample of each rank's part of the global batch, and at the end the
  /// size of the batch. Communicator and backend must outlive this.
  RootInputs(const std::vector<workloads::InputBinding>& inputs,
             const data::Batch& like,
             const std::vector<std::size_t>& first_samples,
             comm::Communicator& communicator,
             backend::Backend& backend);

  /// Scatters rank 0's `batch` and binds each rank's part to `step`; ignores the other ranks'
  /// batches.
  void scatter(const data::Batch& batch, exec::Executor& step);

 private:
  struct Input {
    workloads::InputBinding binding;
    std::unique_ptr<backend::Buffer> memory;
    std::vector<std::size_t> bounds;  ///< bytes, as Communicator::scatter() takes them
  };

  comm::Communicator& communicator_;
  std::unique_ptr<backend::Stream> stream_;
  std::vector<Input> inputs_;
};

/// The predictions of the global batch, in the order of its samples. Calls are collective.
class RootOutputs {
 public:
  /// As RootInputs, for a step on this rank's part; the step must outlive this.
  RootOutputs(exec::Executor& step,
              const std::vector<std::size_t>& first_samples,
              comm::Communicator& communicator,
              backend::Backend& backend);

  /// Gathers the predictions of the last step on rank 0.
  void gather();
  /// The predictions on rank 0, after gather(): row-major like the step's own.
  [[nodiscard]] std::span<const std::byte> predictions() const {
    return {memory_->data(), bounds_.back()};
  }

 private:
  exec::Executor& step_;
  comm::Communicator& communicator_;
  std::unique_ptr<backend::Stream> stream_;
  std::unique_ptr<backend::Buffer> memory_;
  std::vector<std::size_t> bounds_;  ///< bytes
};

}  // namespace dlbench::harness
