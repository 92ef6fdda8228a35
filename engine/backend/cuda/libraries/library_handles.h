// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The handles of cuDNN and cuBLASLt: created once per backend, outside of timed regions, since that
// loads large libraries.
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

  /// The handle of cuDNN, set to enqueue work on `stream`.
  [[nodiscard]] cudnnHandle_t cudnn(cudaStream_t stream);
  /// The handle for making plans, detached from its last stream, which may no longer exist.
  [[nodiscard]] cudnnHandle_t cudnn() { return cudnn(nullptr); }
  /// Detaches cuDNN from its last stream; to be called before that stream is destroyed. Never
  /// throws.
  void forget_stream() noexcept;
  [[nodiscard]] cublasLtHandle_t cublas() const { return cublas_; }

 private:
  cudnnHandle_t cudnn_ = nullptr;
  cublasLtHandle_t cublas_ = nullptr;
};

}  // namespace dlbench::backend::cuda
