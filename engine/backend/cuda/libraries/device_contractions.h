// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Contractions by cuDNN and cuBLASLt on a device.
#pragma once

#include "engine/backend/cuda/contractions.h"
#include "engine/backend/cuda/libraries/conv_bench.h"
#include "engine/backend/cuda/libraries/conv_execution.h"
#include "engine/backend/cuda/libraries/conv_plan.h"
#include "engine/backend/cuda/libraries/conv_tuning.h"
#include "engine/backend/cuda/libraries/library_handles.h"
#include "engine/backend/lowering.h"
#include "engine/backend/tuning.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {

/// For one lower() call; what it returns needs the handles alone.
class DeviceContractions final : public Contractions {
 public:
  DeviceContractions(LibraryHandles& handles, const LoweringOptions& options, Choices& choices);

  /// One of the first acceptable plans of cuDNN that was seen to run and to compute what it should
  /// (conv_check.h), on buffers of the real sizes: the fastest if tuning is on. An epilogue that a
  /// plan does not fuse is part of both. Where the device has not the memory for that, plans with
  /// less workspace are timed, or cuDNN's first is taken untried.
  [[nodiscard]] Contraction convolution(const ConvProblem& problem,
                                        const std::string& decision) override;
  [[nodiscard]] Contraction product(const MatrixProduct& product) override;

 private:
  using Executions = std::vector<std::shared_ptr<ConvExecution>>;

  /// As ChoiceTrials has them.
  [[nodiscard]] std::optional<Tuned> time(const ConvProblem& problem,
                                          const Executions& executions,
                                          std::span<const std::size_t> candidates);
  [[nodiscard]] std::string try_out(const ConvProblem& problem,
                                    const std::string& plan,
                                    ConvExecution& execution);
  /// Why a plan of `problem`, for which the bench has reserved, is not to be taken, or empty.
  [[nodiscard]] std::string refusal(const ConvProblem& problem, ConvExecution& execution);
  [[nodiscard]] ConvBench& bench();

  LibraryHandles& handles_;
  const LoweringOptions& options_;
  Choices& choices_;
  std::unique_ptr<ConvBench> bench_;          ///< made when something is to be run
  std::map<std::string, std::string> tried_;  ///< problem and plan -> why it is not taken, or empty
};

}  // namespace dlbench::backend::cuda
