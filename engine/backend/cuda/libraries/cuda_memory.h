// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of a GPU, and pinned host memory that its copy engines access directly.
#pragma once

#include "engine/backend/backend.h"
#include "engine/core/host_allocator.h"

#include <cstddef>
#include <memory>

namespace dlbench::backend::cuda {

/// Zeroed device memory. Throws core::Error(kRun) with what is needed and what is free: a shortage
/// that was predicted is reported earlier.
class CudaBuffer final : public Buffer {
 public:
  explicit CudaBuffer(std::size_t bytes);
  /// Allocates; null if the device does not have that much contiguous memory.
  [[nodiscard]] static std::unique_ptr<CudaBuffer> if_room(std::size_t bytes);

  [[nodiscard]] std::byte* data() override { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  using Memory = std::unique_ptr<std::byte, Free>;

  CudaBuffer(Memory memory, std::size_t bytes);
  /// Allocates; null if there is no room.
  [[nodiscard]] static Memory take(std::size_t bytes);

  Memory memory_;
  std::size_t bytes_ = 0;
};

/// Fills device memory with zeros before returning, so that later work on any stream sees them.
void fill_zero_now(std::byte* memory, std::size_t bytes);

/// Allocates pinned memory in one device's context. Makes that device current on the allocating
/// thread, since the loader's threads do not know about devices.
class PinnedAllocator final : public core::HostAllocator {
 public:
  explicit PinnedAllocator(int device) : device_(device) {}
  void* allocate(std::size_t bytes) override;
  void deallocate(void* memory, std::size_t bytes) noexcept override;

 private:
  int device_;
};

}  // namespace dlbench::backend::cuda
