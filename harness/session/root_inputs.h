// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a step takes from rank 0 and brings there where the global batch lies on it alone:
// --strategy data-parallel.
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

/// Memory for the global batch, shared between the ranks where that pays. Calls are collective.
class RootInputs {
 public:
  /// `first_samples`: of every rank's part in the global batch, and the size of that at the end.
  /// Communicator and backend outlive this.
  RootInputs(const std::vector<workloads::InputBinding>& inputs,
             const data::Batch& like,
             const std::vector<std::size_t>& first_samples,
             comm::Communicator& communicator,
             backend::Backend& backend);

  /// Deals rank 0's `batch` out and binds each rank's part to `step`; other ranks' batches are not
  /// looked at.
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

/// The predictions of the global batch, in the same order. Calls are collective.
class RootOutputs {
 public:
  /// As RootInputs, of a step of this rank's part; the step outlives this.
  RootOutputs(exec::Executor& step,
              const std::vector<std::size_t>& first_samples,
              comm::Communicator& communicator,
              backend::Backend& backend);

  /// Brings the predictions of the last step to rank 0.
  void gather();
  /// There, after gather(): row-major, as the step's own.
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
