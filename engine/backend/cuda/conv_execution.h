// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one plan of cuDNN.
#pragma once

#include "engine/backend/cuda/contractions.h"
#include "engine/backend/cuda/conv_plan.h"
#include "engine/backend/cuda/library_handles.h"

#include <cstddef>
#include <utility>

namespace dlbench::backend::cuda {

class ConvExecution {
 public:
  ConvExecution(LibraryHandles& handles, ConvPlan plan)
      : handles_(handles), plan_(std::move(plan)) {}

  [[nodiscard]] std::size_t workspace_bytes() const { return plan_.workspace_bytes; }
  [[nodiscard]] bool repeatable() const { return plan_.repeatable; }

  /// Enqueues the convolution. Allocates only where an address differs from the last call's.
  void run(const ContractionCall& call);

 private:
  void bind(const ContractionCall& call);

  LibraryHandles& handles_;
  ConvPlan plan_;
  CudnnDescriptor pack_;
  ContractionCall bound_;
};

}  // namespace dlbench::backend::cuda
