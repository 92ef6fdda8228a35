// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLASLt is column-major: a row-major y (rows, columns) is its y^T, so y^T = b^T a^T is computed,
// with the operands in reverse order and without transposed copies.
#include "engine/backend/cuda/libraries/matrix_execution.h"

#include "engine/backend/cuda/libraries/cuda_call.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

cudaDataType_t cuda_type(core::DType dtype) {
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
                                          cuda_type(dtype),
                                          static_cast<std::uint64_t>(columns),
                                          static_cast<std::uint64_t>(rows),
                                          columns));
  return made;
}

/// The minimum alignment of operands: tensors of an arena begin at multiples of 64 bytes, not of
/// 256 as cuBLASLt would assume.
constexpr std::uint32_t kAlignment = 16;

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
  if (p.epilogue.any()) {
    DLBENCH_CHECK(p.epilogue.fusible());
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    DLBENCH_CUDA(cublasLtMatmulDescSetAttribute(
        operation_, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue)));
    // The search for an algorithm takes the alignment from the address without dereferencing it.
    bind_bias(reinterpret_cast<const void*>(std::uintptr_t{kAlignment}));
  }
}

void MatrixExecution::bind_bias(const void* bias) {
  DLBENCH_CUDA(cublasLtMatmulDescSetAttribute(
      operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias)));
  bias_ = bias;
}

MatrixExecution::~MatrixExecution() {
  cublasLtMatrixLayoutDestroy(y_);
  cublasLtMatrixLayoutDestroy(b_);
  cublasLtMatrixLayoutDestroy(a_);
  cublasLtMatmulDescDestroy(operation_);
}

// Partial sums in the dtype of the result (in place, or added in a separate step) are rounded to 16
// bits once per split for a 16-bit result, so there they are kept in the compute type, f32. For an
// f32 result all schemes sum in f32. For repeatable results only the scheme with a separate step is
// used: of the one in place, cublasLt.h says that sums are added one by one, but not in which
// order.
std::uint32_t reduction_schemes(core::DType dtype, bool deterministic) {
  return dtype == core::DType::kF32 && !deterministic ? CUBLASLT_REDUCTION_SCHEME_MASK
                                                      : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
}

MatrixPreference::MatrixPreference(std::uint32_t schemes) {
  DLBENCH_CUDA(cublasLtMatmulPreferenceCreate(&raw_));
  try {
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
        &kMatrixWorkspaceBytes,
        sizeof(kMatrixWorkspaceBytes));
    set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof(schemes));
    for (const cublasLtMatmulPreferenceAttributes_t operand :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      set(operand, &kAlignment, sizeof(kAlignment));
    }
  } catch (...) {  // the destructor will not run
    cublasLtMatmulPreferenceDestroy(raw_);
    throw;
  }
}

MatrixPreference::~MatrixPreference() { cublasLtMatmulPreferenceDestroy(raw_); }

void MatrixPreference::set(cublasLtMatmulPreferenceAttributes_t name,
                           const void* value,
                           std::size_t bytes) {
  DLBENCH_CUDA(cublasLtMatmulPreferenceSetAttribute(raw_, name, value, bytes));
}

cublasStatus_t MatrixExecution::find_algorithm(bool deterministic) {
  const MatrixPreference preference(reduction_schemes(product_.dtype, deterministic));
  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handles_.cublas(), operation_, b_, a_, y_, y_, preference.raw(), 1, &best, &found);
  if (status == CUBLAS_STATUS_SUCCESS && found > 0) {
    status = best.state;  // status of the algorithm found
  }
  if (status == CUBLAS_STATUS_SUCCESS && found == 0) {
    status = CUBLAS_STATUS_NOT_SUPPORTED;
  }
  algorithm_ = best.algo;
  return status;
}

bool MatrixExecution::try_algorithm(bool deterministic) {
  return find_algorithm(deterministic) == CUBLAS_STATUS_SUCCESS;
}

void MatrixExecution::choose_algorithm(bool deterministic) {
  const cublasStatus_t status = find_algorithm(deterministic);
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      fmt::format("cuBLASLt has no algorithm for a product ({} x {}) of {} terms "
                                  "in {}: {}",
                                  product_.rows,
                                  product_.columns,
                                  product_.inner,
                                  core::name(product_.dtype),
                                  cublasLtGetStatusString(status)));
  }
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
  return text + product_.epilogue.text();
}

void MatrixExecution::run(const ContractionCall& call) {
  if (product_.epilogue.bias && call.bias != bias_) {
    bind_bias(call.bias);
  }
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
