// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The handles of cuDNN and cuBLASLt: made once per backend, outside of every timed region, since
// that loads large libraries.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace dlbench::backend::cuda {

class LibraryHandles {
 public:
  LibraryHandles();
  ~LibraryHandles();
  LibraryHandles(const LibraryHandles&) = delete;
  LibraryHandles& operator=(const LibraryHandles&) = delete;

  /// Work enqueued through it goes to `stream`.
  [[nodiscard]] cudnnHandle_t cudnn(cudaStream_t stream);
  [[nodiscard]] cudnnHandle_t cudnn() const { return cudnn_; }
  [[nodiscard]] cublasLtHandle_t cublas() const { return cublas_; }

 private:
  cudnnHandle_t cudnn_ = nullptr;
  cublasLtHandle_t cublas_ = nullptr;
};

}  // namespace dlbench::backend::cuda
