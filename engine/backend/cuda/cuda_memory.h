// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of a GPU, and host memory that its copy engines reach without a detour.
#pragma once

#include "engine/backend/backend.h"
#include "engine/core/host_allocator.h"

#include <cstddef>

namespace dlbench::backend::cuda {

/// Zeroed device memory. Throws core::Error(kRun) with what is needed and what is free: what was
/// foreseen never comes so far.
class CudaBuffer final : public Buffer {
 public:
  explicit CudaBuffer(std::size_t bytes);
  ~CudaBuffer() override;

  [[nodiscard]] std::byte* data() override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Pinned memory of one device's context. Makes that device current on the thread that allocates:
/// the loader's threads know nothing of devices.
class PinnedAllocator final : public core::HostAllocator {
 public:
  explicit PinnedAllocator(int device) : device_(device) {}
  void* allocate(std::size_t bytes) override;
  void deallocate(void* memory, std::size_t bytes) noexcept override;

 private:
  int device_;
};

}  // namespace dlbench::backend::cuda
