// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLASLt counts columns first: a row-major y (rows, columns) is its y^T, so y^T = b^T a^T is
// computed, with the operands in turned order and no transposed copy.
#include "engine/backend/cuda/matrix_execution.h"

#include "engine/backend/cuda/cuda_call.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

cudaDataType_t data_type(core::DType dtype) {
  switch (dtype) {
    case core::DType::kF16:
      return CUDA_R_16F;
    case core::DType::kBF16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

/// A row-major matrix (rows, columns), as cuBLASLt sees it: its transpose.
cublasLtMatrixLayout_t layout(core::DType dtype, std::int64_t rows, std::int64_t columns) {
  cublasLtMatrixLayout_t made = nullptr;
  DLBENCH_CUDA(cublasLtMatrixLayoutCreate(&made,
                                          data_type(dtype),
                                          static_cast<std::uint64_t>(columns),
                                          static_cast<std::uint64_t>(rows),
                                          columns));
  return made;
}

}  // namespace

MatrixExecution::MatrixExecution(LibraryHandles& handles, const MatrixProduct& product)
    : handles_(handles), product_(product) {
  const cublasComputeType_t compute = product.dtype == core::DType::kF32 && product.allow_tf32
                                          ? CUBLAS_COMPUTE_32F_FAST_TF32
                                          : CUBLAS_COMPUTE_32F;
  DLBENCH_CUDA(cublasLtMatmulDescCreate(&operation_, compute, CUDA_R_32F));
  const cublasOperation_t first = product.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t second = product.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  DLBENCH_CUDA(cublasLtMatmulDescSetAttribute(
      operation_, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof(first)));
  DLBENCH_CUDA(cublasLtMatmulDescSetAttribute(
      operation_, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof(second)));
  const MatrixProduct& p = product_;
  a_ = p.transpose_a ? layout(p.dtype, p.inner, p.rows) : layout(p.dtype, p.rows, p.inner);
  b_ = p.transpose_b ? layout(p.dtype, p.columns, p.inner) : layout(p.dtype, p.inner, p.columns);
  y_ = layout(p.dtype, p.rows, p.columns);
}

MatrixExecution::~MatrixExecution() {
  cublasLtMatrixLayoutDestroy(y_);
  cublasLtMatrixLayoutDestroy(b_);
  cublasLtMatrixLayoutDestroy(a_);
  cublasLtMatmulDescDestroy(operation_);
}

void MatrixExecution::choose_algorithm() {
  cublasLtMatmulPreference_t preference = nullptr;
  DLBENCH_CUDA(cublasLtMatmulPreferenceCreate(&preference));
  DLBENCH_CUDA(cublasLtMatmulPreferenceSetAttribute(preference,
                                                    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &kMatrixWorkspaceBytes,
                                                    sizeof(kMatrixWorkspaceBytes)));
  // Tensors of an arena begin at multiples of 64 bytes, not of 256 as cuBLASLt would assume.
  const std::uint32_t alignment = 16;
  for (const cublasLtMatmulPreferenceAttributes_t operand :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    DLBENCH_CUDA(
        cublasLtMatmulPreferenceSetAttribute(preference, operand, &alignment, sizeof(alignment)));
  }
  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  const cublasStatus_t asked = cublasLtMatmulAlgoGetHeuristic(
      handles_.cublas(), operation_, b_, a_, y_, y_, preference, 1, &best, &found);
  cublasLtMatmulPreferenceDestroy(preference);
  if (asked != CUBLAS_STATUS_SUCCESS || found == 0) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      fmt::format("cuBLASLt has no algorithm for a product ({} x {}) of {} terms "
                                  "in {}: {}",
                                  product_.rows,
                                  product_.columns,
                                  product_.inner,
                                  core::name(product_.dtype),
                                  cublasLtGetStatusString(asked)));
  }
  algorithm_ = best.algo;
}

std::string MatrixExecution::name() const {
  std::string text = "cublaslt:";
  for (const auto& [attribute, word] : {std::pair(CUBLASLT_ALGO_CONFIG_ID, "algo"),
                                        std::pair(CUBLASLT_ALGO_CONFIG_TILE_ID, ",tile"),
                                        std::pair(CUBLASLT_ALGO_CONFIG_STAGES_ID, ",stages"),
                                        std::pair(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, ",splitk")}) {
    std::uint32_t value = 0;
    std::size_t written = 0;
    if (cublasLtMatmulAlgoConfigGetAttribute(
            &algorithm_, attribute, &value, sizeof(value), &written) == CUBLAS_STATUS_SUCCESS) {
      text += word + std::to_string(value);
    }
  }
  return text;
}

void MatrixExecution::run(const ContractionCall& call) {
  const float one = 1.0F;
  const float zero = 0.0F;
  DLBENCH_CUDA(cublasLtMatmul(handles_.cublas(),
                              operation_,
                              &one,
                              call.w,
                              b_,
                              call.x,
                              a_,
                              &zero,
                              call.y,
                              y_,
                              call.y,
                              y_,
                              &algorithm_,
                              call.scratch,
                              kMatrixWorkspaceBytes,
                              call.stream));
}

}  // namespace dlbench::backend::cuda
