// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What cuBLASLt is asked to compute, read from its own descriptors: a product
//   D = alpha op(A) op(B) + beta C, [+ bias of D's rows]
// of matrices that lie column by column where their order is not another, as cublasLt.h says.
#pragma once

#include "tests/engine/backend/cuda/fake/refusal.h"
#include "tests/engine/backend/cuda/fake/tensor_view.h"

#include <cublasLt.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dlbench::fake {

using CublasRefusal = Refusal<cublasStatus_t>;

/// Throws CUBLAS_STATUS_INVALID_VALUE.
void require_valid(bool holds, const std::string& why);

/// What descriptor and layouts ask for, but for the values that a call reads from them.
struct MatmulTask {
  TensorView a;  ///< (m, k): op(A)
  TensorView b;  ///< (k, n)
  TensorView c;  ///< (m, n)
  TensorView d;
  bool tf32 = false;
  bool has_bias = false;
  const void* bias = nullptr;

  [[nodiscard]] std::int64_t rows() const { return d.extents[0]; }
  [[nodiscard]] std::int64_t columns() const { return d.extents[1]; }
  [[nodiscard]] std::int64_t terms() const { return a.extents[1]; }
  [[nodiscard]] std::size_t bias_bytes() const {
    return has_bias ? static_cast<std::size_t>(rows()) * bytes_of(d.element) : 0;
  }
  /// Equal for tasks that an algorithm found for one of them is for.
  [[nodiscard]] std::uint64_t fingerprint() const;
};

struct MatmulLayouts {
  cublasLtMatrixLayout_t a;
  cublasLtMatrixLayout_t b;
  cublasLtMatrixLayout_t c;
  cublasLtMatrixLayout_t d;
};

/// Throws CublasRefusal: CUBLAS_STATUS_INVALID_VALUE for what contradicts itself,
/// CUBLAS_STATUS_NOT_SUPPORTED for whatever is not interpreted here.
[[nodiscard]] MatmulTask matmul_task(cublasLtMatmulDesc_t operation, const MatmulLayouts& layouts);

/// What an algorithm's opaque data holds here.
struct MatmulAlgorithm {
  static constexpr std::uint64_t kMark = 0x646e65746572700AU;

  std::uint64_t mark = kMark;
  std::uint64_t fingerprint = 0;
  std::uint64_t workspace_bytes = 0;
  std::array<std::uint32_t, 4> alignments{};  ///< of A, B, C and D, as the preference promised
  std::uint64_t bias_alignment = 1;
  std::array<std::uint64_t, 2> unused{};
};
static_assert(sizeof(MatmulAlgorithm) == sizeof(cublasLtMatmulAlgo_t));

/// The one algorithm that there is, for this task. Throws as matmul_task.
[[nodiscard]] MatmulAlgorithm found_algorithm(const MatmulTask& task,
                                              cublasLtMatmulPreference_t preference);
/// What found_algorithm gave; anything else is refused.
[[nodiscard]] MatmulAlgorithm algorithm_of(const cublasLtMatmulAlgo_t* opaque);

}  // namespace dlbench::fake
