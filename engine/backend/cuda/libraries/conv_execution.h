// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one plan of cuDNN, followed by the epilogue unless the plan fuses it.
#pragma once

#include "engine/backend/cuda/contractions.h"
#include "engine/backend/cuda/conv_problem.h"
#include "engine/backend/cuda/epilogue.h"
#include "engine/backend/cuda/libraries/conv_plan.h"
#include "engine/backend/cuda/libraries/library_handles.h"

#include <cstddef>
#include <string>

namespace dlbench::backend::cuda {

class ConvExecution {
 public:
  ConvExecution(LibraryHandles& handles, const ConvProblem& problem, ConvPlan plan);

  [[nodiscard]] const std::string& name() const { return plan_.name; }
  [[nodiscard]] std::size_t workspace_bytes() const { return plan_.workspace_bytes; }
  [[nodiscard]] bool repeatable() const { return plan_.repeatable; }
  [[nodiscard]] bool transformed() const { return plan_.transformed; }

  /// Enqueues the convolution and its epilogue. Allocates only if an address differs from that of
  /// the last call.
  void run(const ContractionCall& call);

 private:
  void bind(const ContractionCall& call);

  LibraryHandles& handles_;
  ConvPlan plan_;
  bool fused_bias_;
  Epilogue behind_;  ///< what the plan does not compute
  core::DType dtype_;
  ChannelsLast result_;
  CudnnDescriptor pack_;
  ContractionCall bound_;
};

}  // namespace dlbench::backend::cuda
