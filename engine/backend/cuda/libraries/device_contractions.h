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

/// Plans that were tried on a device: problem and plan -> why it is not to be taken, or empty.
using TriedPlans = std::map<std::string, std::string>;

/// For one lower() call; what it returns needs the handles alone.
class DeviceContractions final : public Contractions {
 public:
  /// `tried` grows, and serves further calls on the same device: what was seen of a plan once holds
  /// where there is no room to see it again.
  DeviceContractions(LibraryHandles& handles,
                     const LoweringOptions& options,
                     Choices& choices,
                     TriedPlans& tried);

  /// One of the first acceptable plans of cuDNN that was seen to run and to compute what it should
  /// (conv_check.h), on buffers of the real sizes: the fastest if tuning is on. An epilogue that a
  /// plan does not fuse is part of both. Where the device has not the memory for that, plans with
  /// less workspace are timed, or cuDNN's first is taken unchecked, which a warning says.
  [[nodiscard]] Contraction convolution(const ConvProblem& problem,
                                        const std::string& decision) override;
  [[nodiscard]] Contraction product(const MatrixProduct& product) override;

 private:
  using Executions = std::vector<std::shared_ptr<ConvExecution>>;

  /// As ChoiceTrials has them.
  [[nodiscard]] std::optional<Tuned> time(const ConvProblem& problem,
                                          const Executions& executions,
                                          std::span<const std::size_t> candidates);
  [[nodiscard]] std::string try_out(const ConvProblem& problem, ConvExecution& execution);
  /// What is known of a plan; nothing if it was not tried yet.
  [[nodiscard]] std::optional<std::string> known_refusal(const ConvProblem& problem,
                                                         const ConvExecution& execution) const;
  /// Why a plan of `problem`, for which the bench has reserved, is not to be taken, or empty.
  [[nodiscard]] std::string refusal(const ConvProblem& problem, ConvExecution& execution);
  [[nodiscard]] std::string tried_as(const ConvProblem& problem,
                                     const ConvExecution& execution) const;
  [[nodiscard]] ConvBench& bench();

  LibraryHandles& handles_;
  const LoweringOptions& options_;
  Choices& choices_;
  TriedPlans& tried_;
  std::unique_ptr<ConvBench> bench_;  ///< made when something is to be run
};

}  // namespace dlbench::backend::cuda
