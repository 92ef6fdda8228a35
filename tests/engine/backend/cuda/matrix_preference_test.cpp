// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What algorithms cuBLASLt is asked for; its preferences need no GPU.
#include "engine/backend/cuda/libraries/matrix_execution.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

template <typename T>
T attribute(const MatrixPreference& preference, cublasLtMatmulPreferenceAttributes_t name) {
  T value{};
  std::size_t written = 0;
  EXPECT_EQ(
      cublasLtMatmulPreferenceGetAttribute(preference.raw(), name, &value, sizeof value, &written),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(written, sizeof value);
  return value;
}

TEST(MatrixPreference, SumsOf16BitProductsStayInF32) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    for (const bool deterministic : {false, true}) {
      const std::uint32_t schemes = reduction_schemes(dtype, deterministic);
      EXPECT_EQ(schemes & CUBLASLT_REDUCTION_SCHEME_INPLACE, 0U);
      EXPECT_EQ(schemes & CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE, 0U);
    }
  }
}

TEST(MatrixPreference, DeterministicSumsAreNoneInPlace) {
  EXPECT_EQ(reduction_schemes(DType::kF32, true), CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
  EXPECT_EQ(reduction_schemes(DType::kF32, false), CUBLASLT_REDUCTION_SCHEME_MASK);
}

TEST(MatrixPreference, TellsCublas) {
  const MatrixPreference preference(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
  EXPECT_EQ(attribute<std::uint32_t>(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK),
            static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  EXPECT_EQ(attribute<std::uint64_t>(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES),
            kMatrixWorkspaceBytes);
  EXPECT_EQ(attribute<std::uint32_t>(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES), 16U);
}

}  // namespace
}  // namespace dlbench::backend::cuda
