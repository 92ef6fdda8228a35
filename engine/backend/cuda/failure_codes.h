// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which failed calls of NVIDIA's libraries are failures of the device or of its memory, which end a
// run with code 5, and which are rejected calls. By number, without CUDA headers, so that it can be
// tested where there are none.
#pragma once

#include "engine/core/error.h"

namespace dlbench::backend::cuda {

/// The code of a failing cudaError_t: kRun if memory is exhausted, the device or the connection to
/// it failed, or a kernel made an illegal access or similar; otherwise kLibrary.
[[nodiscard]] core::ErrorCode code_of_cuda(int status);

/// The code of a failing cudnnStatus_t: kRun for failures on the device, kLibrary for what cuDNN
/// rejects.
[[nodiscard]] core::ErrorCode code_of_cudnn(int status);

/// The code of a failing cublasStatus_t: kRun for failures on the device, kLibrary for what cuBLAS
/// rejects.
[[nodiscard]] core::ErrorCode code_of_cublas(int status);

}  // namespace dlbench::backend::cuda
