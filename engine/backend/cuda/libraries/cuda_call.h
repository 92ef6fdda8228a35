// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns failed calls into NVIDIA's libraries into core::Error with the call, the library's own text
// and the right exit code (failure_codes.h).
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <string>

namespace dlbench::backend::cuda {

/// Throws core::Error unless `status` is success: kRun if memory is exhausted or the device failed,
/// otherwise kLibrary.
void check(cudaError_t status, const char* call);
/// Throws as for a cudaError_t, with cuDNN's last error text.
void check(cudnnStatus_t status, const char* call);
/// "CUDNN_STATUS_BAD_PARAM (2000): ...", with cuDNN's last error text on this thread.
[[nodiscard]] std::string failure_text(cudnnStatus_t status);
/// Throws as for a cudaError_t; cuBLAS keeps no error text.
void check(cublasStatus_t status, const char* call);

}  // namespace dlbench::backend::cuda

/// DLBENCH_CUDA(cudaStreamSynchronize(stream));
#define DLBENCH_CUDA(call) ::dlbench::backend::cuda::check((call), #call)
