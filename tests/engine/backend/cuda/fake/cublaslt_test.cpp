// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands in for cuBLASLt, asked through the plug-in's own wrapper, against the definition
// written as loops; and what it has to refuse.
#include "engine/backend/cuda/contractions.h"
#include "engine/backend/cuda/libraries/matrix_execution.h"
#include "engine/core/dtype.h"
#include "tests/engine/backend/cuda/fake/libraries_fixture.h"

#include <cublasLt.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

class FakeProducts : public FakeLibraries {
 protected:
  DeviceValues workspace_{DType::kF32, kMatrixWorkspaceBytes / 4};
};

/// Row-major, as MatrixProduct says.
Values expected_product(const MatrixProduct& p, const Values& a, const Values& b) {
  Values y;
  for (std::int64_t row = 0; row < p.rows; ++row) {
    for (std::int64_t column = 0; column < p.columns; ++column) {
      double sum = 0;
      for (std::int64_t i = 0; i < p.inner; ++i) {
        const std::int64_t in_a = p.transpose_a ? i * p.rows + row : row * p.inner + i;
        const std::int64_t in_b = p.transpose_b ? column * p.inner + i : i * p.columns + column;
        sum += a[static_cast<std::size_t>(in_a)] * b[static_cast<std::size_t>(in_b)];
      }
      y.push_back(sum);
    }
  }
  return y;
}

TEST_F(FakeProducts, AreTheirDefinitionForEveryTransposeBiasAndType) {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16}) {
    for (int kind = 0; kind < 8; ++kind) {
      const MatrixProduct p{.rows = 13,
                            .columns = 10,
                            .inner = 37,
                            .transpose_a = (kind & 1) != 0,
                            .transpose_b = (kind & 2) != 0,
                            .dtype = dtype,
                            .epilogue = {.bias = (kind & 4) != 0}};
      const Values a = whole_numbers(p.rows * p.inner, 1);
      const Values b = whole_numbers(p.inner * p.columns, 2);
      const Values bias = whole_numbers(p.columns, 3);
      const Values want = expected_product(p, a, b);
      const DeviceValues device_a(dtype, a);
      const DeviceValues device_b(dtype, b);
      const DeviceValues device_bias(dtype, bias);
      const DeviceValues y(dtype, want.size());  // NaN: beta is 0
      MatrixExecution execution(handles_, p);
      execution.choose_algorithm(true);
      execution.run({.x = device_a.data(),
                     .w = device_b.data(),
                     .y = y.data(),
                     .bias = device_bias.data(),
                     .scratch = workspace_.data(),
                     .stream = stream_});
      wait();
      const Values got = y.values();
      for (std::size_t i = 0; i < want.size(); ++i) {
        const double added = p.epilogue.bias ? bias[i % bias.size()] : 0;
        ASSERT_EQ(got[i], rounded(dtype, want[i] + added)) << execution.name() << kind << ' ' << i;
      }
    }
  }
}

TEST_F(FakeProducts, ReadTheBiasPointerWhenTheyAreCalled) {
  const MatrixProduct p{.rows = 2, .columns = 4, .inner = 3, .epilogue = {.bias = true}};
  const DeviceValues a(DType::kF32, Values(6, 1));
  const DeviceValues b(DType::kF32, Values(12, 1));
  const DeviceValues ones(DType::kF32, Values(4, 1));
  const DeviceValues twos(DType::kF32, Values(4, 2));
  const DeviceValues first(DType::kF32, 8);
  const DeviceValues second(DType::kF32, 8);
  MatrixExecution execution(handles_, p);
  execution.choose_algorithm(false);
  ContractionCall call{
      .x = a.data(), .w = b.data(), .scratch = workspace_.data(), .stream = stream_};
  call.y = first.data();
  call.bias = ones.data();
  execution.run(call);
  call.y = second.data();
  call.bias = twos.data();
  execution.run(call);
  wait();
  EXPECT_EQ(first.values(), Values(8, 4));
  EXPECT_EQ(second.values(), Values(8, 5));
}

TEST_F(FakeProducts, RoundOperandsToTf32WhereThatIsAllowed) {
  constexpr double kFine = 1 + 0x1p-14;
  for (const bool tf32 : {false, true}) {
    const MatrixProduct p{.rows = 1, .columns = 1, .inner = 1, .allow_tf32 = tf32};
    const DeviceValues a(DType::kF32, Values{kFine});
    const DeviceValues b(DType::kF32, Values{1});
    const DeviceValues y(DType::kF32, 1);
    MatrixExecution execution(handles_, p);
    execution.choose_algorithm(false);
    execution.run({.x = a.data(),
                   .w = b.data(),
                   .y = y.data(),
                   .scratch = workspace_.data(),
                   .stream = stream_});
    wait();
    EXPECT_EQ(y.values(), Values{tf32 ? 1 : kFine});
  }
}

/// D (5, 4) = 2 A (5, 3) B (3, 4) + C / 2, column by column, A and D with columns of 8 elements.
class FakeMatmul : public FakeProducts {
 protected:
  void SetUp() override {
    FakeProducts::SetUp();
    ASSERT_EQ(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F),
              CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasLtMatrixLayoutCreate(&a_layout_, CUDA_R_32F, 5, 3, 8), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasLtMatrixLayoutCreate(&b_layout_, CUDA_R_32F, 3, 4, 3), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasLtMatrixLayoutCreate(&d_layout_, CUDA_R_32F, 5, 4, 8), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(find(d_layout_, algorithm_), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    FakeProducts::TearDown();
    cublasLtMatrixLayoutDestroy(d_layout_);
    cublasLtMatrixLayoutDestroy(b_layout_);
    cublasLtMatrixLayoutDestroy(a_layout_);
    cublasLtMatmulDescDestroy(operation_);
  }
  cublasStatus_t find(cublasLtMatrixLayout_t d_layout, cublasLtMatmulAlgo_t& algorithm) {
    const MatrixPreference preference(CUBLASLT_REDUCTION_SCHEME_MASK);
    cublasLtMatmulHeuristicResult_t result{};
    int found = -1;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(handles_.cublas(),
                                                                 operation_,
                                                                 a_layout_,
                                                                 b_layout_,
                                                                 d_layout,
                                                                 d_layout,
                                                                 preference.raw(),
                                                                 1,
                                                                 &result,
                                                                 &found);
    EXPECT_EQ(found, status == CUBLAS_STATUS_SUCCESS ? 1 : 0);
    algorithm = result.algo;
    workspace_bytes_ = result.workspaceSize;
    return status;
  }
  template <typename T>
  void set(cublasLtMatmulDescAttributes_t name, T value) {
    ASSERT_EQ(cublasLtMatmulDescSetAttribute(operation_, name, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }
  struct Call {
    const void* a;
    void* d;
    void* workspace;
    std::size_t workspace_bytes = kMatrixWorkspaceBytes;
  };
  cublasStatus_t multiply(const Call& call) {
    const float alpha = 2;
    const float beta = 0.5F;
    return cublasLtMatmul(handles_.cublas(),
                          operation_,
                          &alpha,
                          call.a,
                          a_layout_,
                          b_.data(),
                          b_layout_,
                          &beta,
                          call.d,
                          d_layout_,
                          call.d,
                          d_layout_,
                          &algorithm_,
                          call.workspace,
                          call.workspace_bytes,
                          stream_);
  }
  cublasStatus_t multiply() { return multiply({a_.data(), d_.data(), workspace_.data()}); }

  Values a_values_ = whole_numbers(8 * 3, 1);
  Values b_values_ = whole_numbers(3 * 4, 2);
  Values d_values_ = whole_numbers(8 * 4, 3);
  DeviceValues a_{DType::kF32, a_values_};
  DeviceValues b_{DType::kF32, b_values_};
  DeviceValues d_{DType::kF32, d_values_};
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_layout_ = nullptr;
  cublasLtMatrixLayout_t b_layout_ = nullptr;
  cublasLtMatrixLayout_t d_layout_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  std::size_t workspace_bytes_ = 0;
};

TEST_F(FakeMatmul, FollowsLeadingDimensionsAndScales) {
  ASSERT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
  wait();
  const Values got = d_.values();
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 8; ++row) {
      double want = d_values_[column * 8 + row];  // the rest of a column stays
      if (row < 5) {
        want *= 0.5;
        for (std::size_t i = 0; i < 3; ++i) {
          want += 2 * a_values_[i * 8 + row] * b_values_[column * 3 + i];
        }
      }
      EXPECT_EQ(got[column * 8 + row], want) << row << ' ' << column;
    }
  }
}

TEST_F(FakeMatmul, LeavesNothingInItsWorkspace) {
  ASSERT_GT(workspace_bytes_, 0U);
  const DeviceValues zeros(DType::kF32, Values(workspace_bytes_ / 4 + 1, 0));
  ASSERT_EQ(multiply({a_.data(), d_.data(), zeros.data(), zeros.bytes()}), CUBLAS_STATUS_SUCCESS);
  wait();
  const Values left = zeros.values();
  EXPECT_NE(left[0], left[0]);
  EXPECT_NE(left[workspace_bytes_ / 4 - 1], left[workspace_bytes_ / 4 - 1]);
  EXPECT_EQ(left.back(), 0);
}

TEST_F(FakeMatmul, RefusesAddressesThatDoNotFit) {
  std::vector<float> host(32);
  const DeviceValues wide(DType::kF32, 32 + 8);
  void* const workspace = workspace_.data();
  EXPECT_EQ(multiply({host.data(), d_.data(), workspace}), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply({nullptr, d_.data(), workspace}), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply({a_.at(32), d_.data(), workspace}), CUBLAS_STATUS_INVALID_VALUE)
      << "too small";
  EXPECT_EQ(multiply({wide.at(4), d_.data(), workspace}), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply({wide.at(16), d_.data(), workspace}), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(multiply({d_.data(), d_.data(), workspace}), CUBLAS_STATUS_INVALID_VALUE) << "overlap";
  EXPECT_EQ(multiply({a_.data(), d_.data(), nullptr}), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply({a_.data(), d_.data(), workspace_.at(64), workspace_bytes_}),
            CUBLAS_STATUS_INVALID_VALUE)
      << "of 256 bytes is a workspace's alignment";
  EXPECT_EQ(multiply({a_.data(), d_.data(), workspace, workspace_bytes_ - 1}),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply({a_.data(), d_.data(), workspace, workspace_bytes_}), CUBLAS_STATUS_SUCCESS);
}

TEST_F(FakeMatmul, RefusesAlgorithmsOfSomethingElse) {
  const cublasLtMatmulAlgo_t good = algorithm_;
  algorithm_ = {};
  EXPECT_EQ(multiply(), CUBLAS_STATUS_INVALID_VALUE);
  algorithm_ = good;
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_BIAS});
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(b_.data()));
  EXPECT_EQ(multiply(), CUBLAS_STATUS_INVALID_VALUE);
  ASSERT_EQ(find(d_layout_, algorithm_), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(b_.at(4)));
  EXPECT_EQ(multiply(), CUBLAS_STATUS_INVALID_VALUE) << "less aligned than in the search";
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(nullptr));
  EXPECT_EQ(multiply(), CUBLAS_STATUS_INVALID_VALUE);
  cublasLtMatrixLayout_t turned = nullptr;
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&turned, CUDA_R_32F, 4, 5, 4), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(find(turned, algorithm_), CUBLAS_STATUS_INVALID_VALUE) << "shapes";
  cublasLtMatrixLayoutDestroy(turned);
}

TEST_F(FakeMatmul, RefusesWhatItDoesNotInterpret) {
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_RELU});
  EXPECT_EQ(find(d_layout_, algorithm_), CUBLAS_STATUS_NOT_SUPPORTED);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_DEFAULT});
  EXPECT_EQ(multiply(), CUBLAS_STATUS_INVALID_VALUE) << "the algorithm of a search that failed";
  ASSERT_EQ(find(d_layout_, algorithm_), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
  set(CUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t{CUBLASLT_POINTER_MODE_DEVICE});
  EXPECT_EQ(multiply(), CUBLAS_STATUS_NOT_SUPPORTED);
  set(CUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t{CUBLASLT_POINTER_MODE_HOST});
  const std::int32_t two = 2;
  ASSERT_EQ(cublasLtMatrixLayoutSetAttribute(
                a_layout_, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &two, sizeof two),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(multiply(), CUBLAS_STATUS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace dlbench::backend::cuda
