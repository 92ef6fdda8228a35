// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Contractions by cuDNN and cuBLASLt on a device.
#pragma once

#include "engine/backend/cuda/contractions.h"
#include "engine/backend/cuda/conv_execution.h"
#include "engine/backend/cuda/conv_plan.h"
#include "engine/backend/cuda/library_handles.h"
#include "engine/backend/lowering.h"
#include "engine/backend/tuning.h"

#include <memory>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {

/// For one lower() call; what it returns needs the handles alone.
class DeviceContractions final : public Contractions {
 public:
  DeviceContractions(LibraryHandles& handles,
                     const CudnnDescriptor& device,
                     const LoweringOptions& options,
                     Choices& choices);

  /// The first acceptable plans of cuDNN, timed on buffers of the real sizes if tuning is on.
  [[nodiscard]] Contraction convolution(const ConvProblem& problem,
                                        const std::string& decision) override;
  [[nodiscard]] Contraction product(const MatrixProduct& product) override;

 private:
  using Executions = std::vector<std::shared_ptr<ConvExecution>>;
  [[nodiscard]] static std::size_t fastest(const ConvProblem& problem,
                                           const Executions& executions);

  LibraryHandles& handles_;
  const CudnnDescriptor& device_;
  const LoweringOptions& options_;
  Choices& choices_;
};

}  // namespace dlbench::backend::cuda
