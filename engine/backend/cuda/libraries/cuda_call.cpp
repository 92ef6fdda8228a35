// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/cuda_call.h"

#include "engine/backend/cuda/failure_codes.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace dlbench::backend::cuda {
namespace {

/// "cudaMalloc" for "cudaMalloc(&data, bytes)": the arguments mean nothing to the user.
std::string_view name_of(std::string_view call) { return call.substr(0, call.find('(')); }

std::string text_of(cudaError_t status) {
  return fmt::format("{} (CUDA error {}, {})",
                     cudaGetErrorString(status),
                     static_cast<int>(status),
                     cudaGetErrorName(status));
}

/// The cause to append to a message: a library only reports that a launch failed. If an earlier
/// kernel caused that, the driver reports it for every later call: ": an illegal memory access was
/// encountered (CUDA error 700, ...)". Not cudaGetLastError(): libraries have their own runtimes.
std::string cause_of(core::ErrorCode code) {
  if (code != core::ErrorCode::kRun) {
    return "";
  }
  std::size_t free = 0;
  std::size_t total = 0;
  const cudaError_t status = cudaMemGetInfo(&free, &total);
  return status == cudaSuccess ? "" : ": " + text_of(status);
}

}  // namespace

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    // Clears errors that do not persist from the runtime's state.
    static_cast<void>(cudaGetLastError());
    throw core::Error(code_of_cuda(status), fmt::format("{}: {}", name_of(call), text_of(status)));
  }
}

void check(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS) {
    const core::ErrorCode code = code_of_cudnn(status);
    throw core::Error(code,
                      fmt::format("{}: {}{}", name_of(call), failure_text(status), cause_of(code)));
  }
}

std::string failure_text(cudnnStatus_t status) {
  std::array<char, 1024> detail{};
  cudnnGetLastErrorString(detail.data(), detail.size());
  return fmt::format(
      "{} ({}): {}", cudnnGetErrorString(status), static_cast<int>(status), detail.data());
}

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    const core::ErrorCode code = code_of_cublas(status);
    throw core::Error(code,
                      fmt::format("{}: {} (cuBLAS status {}){}",
                                  name_of(call),
                                  cublasLtGetStatusString(status),
                                  static_cast<int>(status),
                                  cause_of(code)));
  }
}

}  // namespace dlbench::backend::cuda
