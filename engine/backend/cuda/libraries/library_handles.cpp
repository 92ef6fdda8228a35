// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/library_handles.h"

#include "engine/backend/cuda/libraries/cuda_call.h"

namespace dlbench::backend::cuda {

LibraryHandles::LibraryHandles() {
  DLBENCH_CUDA(cudnnCreate(&cudnn_));
  DLBENCH_CUDA(cublasLtCreate(&cublas_));
}

LibraryHandles::~LibraryHandles() {
  cublasLtDestroy(cublas_);
  forget_stream();
  cudnnDestroy(cudnn_);
}

void LibraryHandles::forget_stream() noexcept { cudnnSetStream(cudnn_, nullptr); }

cudnnHandle_t LibraryHandles::cudnn(cudaStream_t stream) {
  DLBENCH_CUDA(cudnnSetStream(cudnn_, stream));
  return cudnn_;
}

}  // namespace dlbench::backend::cuda
