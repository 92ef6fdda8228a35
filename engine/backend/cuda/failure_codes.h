// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which failed calls of NVIDIA's libraries are failures of the device or of its memory, which end a
// run with code 5, and which are calls that were refused. By number: the table knows no header of
// CUDA, so that it is tested where there is none.
#pragma once

#include "engine/core/error.h"

namespace dlbench::backend::cuda {

/// Of a cudaError_t that is not success: kRun if memory is out, the device or the connection to it
/// failed, or a kernel did what a kernel must not do; else kLibrary.
[[nodiscard]] core::ErrorCode code_of_cuda(int status);

/// Of a cudnnStatus_t that is not success: kRun for what fails on the device, kLibrary for what
/// cuDNN refuses.
[[nodiscard]] core::ErrorCode code_of_cudnn(int status);

/// Of a cublasStatus_t that is not success: kRun for what fails on the device, kLibrary for what
/// cuBLAS refuses.
[[nodiscard]] core::ErrorCode code_of_cublas(int status);

}  // namespace dlbench::backend::cuda
