// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one matrix product through cuBLASLt.
#pragma once

#include "engine/backend/cuda/contractions.h"
#include "engine/backend/cuda/library_handles.h"

#include <cublasLt.h>

#include <cstddef>

namespace dlbench::backend::cuda {

/// What every product may use.
inline constexpr std::size_t kMatrixWorkspaceBytes = std::size_t{32} << 20;

class MatrixExecution {
 public:
  MatrixExecution(LibraryHandles& handles, const MatrixProduct& product);
  ~MatrixExecution();
  MatrixExecution(const MatrixExecution&) = delete;
  MatrixExecution& operator=(const MatrixExecution&) = delete;

  /// Enqueues y = a b. The first call asks cuBLASLt for its best algorithm and throws
  /// core::Error(kUnavailable) if there is none.
  void run(const ContractionCall& call);

 private:
  void choose_algorithm();

  LibraryHandles& handles_;
  MatrixProduct product_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t y_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  bool chosen_ = false;
};

}  // namespace dlbench::backend::cuda
