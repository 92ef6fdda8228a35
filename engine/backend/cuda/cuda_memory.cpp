// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/cuda_memory.h"

#include "engine/backend/cuda/cuda_call.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace dlbench::backend::cuda {

CudaBuffer::CudaBuffer(std::size_t bytes) : bytes_(bytes) {
  void* memory = nullptr;
  // An empty buffer has an address too.
  const cudaError_t made = cudaMalloc(&memory, std::max<std::size_t>(bytes, 256));
  if (made == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    std::size_t free = 0;
    std::size_t total = 0;
    static_cast<void>(cudaMemGetInfo(&free, &total));
    throw core::Error(core::ErrorCode::kRun,
                      fmt::format("{:.2f} GiB of device memory are needed in one piece, {:.2f} of "
                                  "{:.2f} GiB are free: choose a smaller --batch-size",
                                  static_cast<double>(bytes) / (1U << 30),
                                  static_cast<double>(free) / (1U << 30),
                                  static_cast<double>(total) / (1U << 30)));
  }
  DLBENCH_CUDA(made);
  data_ = static_cast<std::byte*>(memory);
  DLBENCH_CUDA(cudaMemset(data_, 0, bytes_));
  // Streams of this backend do not wait for the default one, on which this runs.
  DLBENCH_CUDA(cudaDeviceSynchronize());
}

CudaBuffer::~CudaBuffer() { cudaFree(data_); }

void* PinnedAllocator::allocate(std::size_t bytes) {
  DLBENCH_CUDA(cudaSetDevice(device_));
  void* memory = nullptr;
  const cudaError_t made =
      cudaHostAlloc(&memory, std::max<std::size_t>(bytes, 64), cudaHostAllocPortable);
  if (made == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw core::Error(
        core::ErrorCode::kRun,
        fmt::format("cannot pin {} bytes of host memory: fewer --workers or a smaller "
                    "--prefetch need less",
                    bytes));
  }
  DLBENCH_CUDA(made);
  return memory;
}

void PinnedAllocator::deallocate(void* memory, std::size_t /*bytes*/) noexcept {
  cudaFreeHost(memory);
}

}  // namespace dlbench::backend::cuda
