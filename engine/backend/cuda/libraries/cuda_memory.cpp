// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/cuda_memory.h"

#include "engine/backend/cuda/libraries/cuda_call.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dlbench::backend::cuda {

namespace {

[[noreturn]] void fail_without_room(std::size_t bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  static_cast<void>(cudaMemGetInfo(&free, &total));
  throw core::Error(core::ErrorCode::kRun,
                    fmt::format("{:.2f} GiB of device memory are needed in one piece, {:.2f} of "
                                "{:.2f} GiB are free: choose something smaller (--batch-size, "
                                "--maxbytes of comm), or end what else uses the device",
                                static_cast<double>(bytes) / (1U << 30),
                                static_cast<double>(free) / (1U << 30),
                                static_cast<double>(total) / (1U << 30)));
}

}  // namespace

void fill_zero_now(std::byte* memory, std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  DLBENCH_CUDA(cudaMemset(memory, 0, bytes));
  // Streams of this backend do not wait for the default stream, on which this runs.
  DLBENCH_CUDA(cudaDeviceSynchronize());
}

void CudaBuffer::Free::operator()(std::byte* memory) const noexcept { cudaFree(memory); }

CudaBuffer::Memory CudaBuffer::take(std::size_t bytes) {
  void* memory = nullptr;
  // Even an empty buffer gets an address.
  const cudaError_t made = cudaMalloc(&memory, std::max<std::size_t>(bytes, 256));
  if (made == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  DLBENCH_CUDA(made);
  return Memory(static_cast<std::byte*>(memory));
}

CudaBuffer::CudaBuffer(Memory memory, std::size_t bytes)
    : memory_(std::move(memory)), bytes_(bytes) {
  if (memory_ == nullptr) {
    fail_without_room(bytes_);
  }
  fill_zero_now(memory_.get(), bytes_);
}

CudaBuffer::CudaBuffer(std::size_t bytes) : CudaBuffer(take(bytes), bytes) {}

std::unique_ptr<CudaBuffer> CudaBuffer::if_room(std::size_t bytes) {
  Memory memory = take(bytes);
  return memory == nullptr ? nullptr
                           : std::unique_ptr<CudaBuffer>(new CudaBuffer(std::move(memory), bytes));
}

void* PinnedAllocator::allocate(std::size_t bytes) {
  DLBENCH_CUDA(cudaSetDevice(device_));
  void* memory = nullptr;
  const cudaError_t made =
      cudaHostAlloc(&memory, std::max<std::size_t>(bytes, 64), cudaHostAllocPortable);
  if (made == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw core::Error(
        core::ErrorCode::kMemory,
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
