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
  /// To make plans with. It lets go of the stream that it had, which may be gone by now.
  [[nodiscard]] cudnnHandle_t cudnn() { return cudnn(nullptr); }
  /// For who destroys the stream that cuDNN was told last. Never throws.
  void forget_stream() noexcept;
  [[nodiscard]] cublasLtHandle_t cublas() const { return cublas_; }

 private:
  cudnnHandle_t cudnn_ = nullptr;
  cublasLtHandle_t cublas_ = nullptr;
};

}  // namespace dlbench::backend::cuda
