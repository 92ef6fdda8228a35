// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one matrix product, with an epilogue that is fusible, through cuBLASLt.
#pragma once

#include "engine/backend/cuda/contractions.h"
#include "engine/backend/cuda/libraries/library_handles.h"

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace dlbench::backend::cuda {

/// What every product may use.
inline constexpr std::size_t kMatrixWorkspaceBytes = std::size_t{32} << 20;

/// The cublasLtReductionScheme_t bits with which the sums of a product may be split (split-K). The
/// scheme without a split has no bit: it is always allowed.
[[nodiscard]] std::uint32_t reduction_schemes(core::DType dtype, bool deterministic);

/// What algorithms are asked for with: owns itself.
class MatrixPreference {
 public:
  explicit MatrixPreference(std::uint32_t schemes);
  ~MatrixPreference();
  MatrixPreference(const MatrixPreference&) = delete;
  MatrixPreference& operator=(const MatrixPreference&) = delete;
  [[nodiscard]] cublasLtMatmulPreference_t raw() const { return raw_; }

 private:
  void set(cublasLtMatmulPreferenceAttributes_t name, const void* value, std::size_t bytes);

  cublasLtMatmulPreference_t raw_ = nullptr;
};

class MatrixExecution {
 public:
  MatrixExecution(LibraryHandles& handles, const MatrixProduct& product);
  ~MatrixExecution();
  MatrixExecution(const MatrixExecution&) = delete;
  MatrixExecution& operator=(const MatrixExecution&) = delete;

  /// Before run(): takes what cuBLASLt holds for the best algorithm. Throws
  /// core::Error(kUnavailable) if there is none.
  void choose_algorithm(bool deterministic);
  /// As choose_algorithm(), but false where there is none.
  [[nodiscard]] bool try_algorithm(bool deterministic);
  /// "cublaslt:algo66,tile20,stages36+bias": of what was chosen, as far as cuBLASLt tells.
  [[nodiscard]] std::string name() const;
  /// Enqueues y = a b with its epilogue.
  void run(const ContractionCall& call);

 private:
  void bind_bias(const void* bias);
  /// Of the search; CUBLAS_STATUS_SUCCESS: algorithm_ is set.
  [[nodiscard]] cublasStatus_t find_algorithm(bool deterministic);

  LibraryHandles& handles_;
  MatrixProduct product_;
  const void* bias_ = nullptr;  ///< that operation_ knows of
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t y_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace dlbench::backend::cuda
