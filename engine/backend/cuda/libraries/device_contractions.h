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

/// Plans that were tried on a device: problem and plan -> why it must not be used, or empty.
using TriedPlans = std::map<std::string, std::string>;

/// For one lower() call; the contractions that it returns only need the handles.
class DeviceContractions final : public Contractions {
 public:
  /// `tried` grows and is reused by later calls on the same device: the result for a plan stays
  /// valid even if there is later no room to try it again.
  DeviceContractions(LibraryHandles& handles,
                     const LoweringOptions& options,
                     Choices& choices,
                     TriedPlans& tried);

  /// Returns one of cuDNN's first acceptable plans that was checked to run and to compute what it
  /// should (conv_check.h), on buffers of the real sizes: the fastest if tuning is on. Both include
  /// an epilogue that a plan does not fuse. If the device lacks memory for that, only plans with
  /// less workspace are timed, or cuDNN's first is used unchecked, with a warning.
  [[nodiscard]] Contraction convolution(const ConvProblem& problem,
                                        const std::string& decision) override;
  [[nodiscard]] Contraction product(const MatrixProduct& product) override;

 private:
  using Executions = std::vector<std::shared_ptr<ConvExecution>>;

  /// The functions of ChoiceTrials.
  [[nodiscard]] std::optional<Tuned> time(const ConvProblem& problem,
                                          const Executions& executions,
                                          std::span<const std::size_t> candidates);
  [[nodiscard]] std::string try_out(const ConvProblem& problem, ConvExecution& execution);
  /// What is known about a plan; nullopt if it was not tried yet.
  [[nodiscard]] std::optional<std::string> known_refusal(const ConvProblem& problem,
                                                         const ConvExecution& execution) const;
  /// Why a plan of `problem`, for which the bench has reserved memory, must not be used, or empty.
  [[nodiscard]] std::string refusal(const ConvProblem& problem, ConvExecution& execution);
  [[nodiscard]] std::string tried_as(const ConvProblem& problem,
                                     const ConvExecution& execution) const;
  [[nodiscard]] ConvBench& bench();

  LibraryHandles& handles_;
  const LoweringOptions& options_;
  Choices& choices_;
  TriedPlans& tried_;
  std::unique_ptr<ConvBench> bench_;  ///< created when something is to be run
};

}  // namespace dlbench::backend::cuda
