// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one matrix product, with a fusible epilogue, through cuBLASLt.
#pragma once

#include "engine/backend/cuda/contractions.h"
#include "engine/backend/cuda/libraries/library_handles.h"

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace dlbench::backend::cuda {

/// The workspace that every product may use.
inline constexpr std::size_t kMatrixWorkspaceBytes = std::size_t{32} << 20;

/// The cublasLtReductionScheme_t bits of the schemes with which sums of a product may be split
/// (split-K). The scheme without a split has no bit: it is always allowed.
[[nodiscard]] std::uint32_t reduction_schemes(core::DType dtype, bool deterministic);

/// Owns the preference with which algorithms are requested.
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

  /// Chooses what cuBLASLt considers the best algorithm; call before run(). Throws
  /// core::Error(kUnavailable) if there is none.
  void choose_algorithm(bool deterministic);
  /// As choose_algorithm(), but returns false if there is none.
  [[nodiscard]] bool try_algorithm(bool deterministic);
  /// "cublaslt:algo66,tile20,stages36+bias": the chosen algorithm as far as cuBLASLt describes it.
  [[nodiscard]] std::string name() const;
  /// Enqueues y = a b with its epilogue.
  void run(const ContractionCall& call);

 private:
  void bind_bias(const void* bias);
  /// Returns the status of the search; on CUBLAS_STATUS_SUCCESS algorithm_ is set.
  [[nodiscard]] cublasStatus_t find_algorithm(bool deterministic);

  LibraryHandles& handles_;
  MatrixProduct product_;
  const void* bias_ = nullptr;  ///< the address set in operation_
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t y_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace dlbench::backend::cuda
