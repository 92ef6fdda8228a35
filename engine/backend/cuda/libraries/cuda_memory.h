// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of a GPU, and host memory that its copy engines reach without a detour.
#pragma once

#include "engine/backend/backend.h"
#include "engine/core/host_allocator.h"

#include <cstddef>
#include <memory>

namespace dlbench::backend::cuda {

/// Zeroed device memory. Throws core::Error(kRun) with what is needed and what is free: what was
/// foreseen never comes so far.
class CudaBuffer final : public Buffer {
 public:
  explicit CudaBuffer(std::size_t bytes);
  /// Null where the device has not so much in one piece.
  [[nodiscard]] static std::unique_ptr<CudaBuffer> if_room(std::size_t bytes);

  [[nodiscard]] std::byte* data() override { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  using Memory = std::unique_ptr<std::byte, Free>;

  CudaBuffer(Memory memory, std::size_t bytes);
  /// Null where there is no room.
  [[nodiscard]] static Memory take(std::size_t bytes);

  Memory memory_;
  std::size_t bytes_ = 0;
};

/// Fills memory of the device with zeros, before any stream's next work.
void fill_zero_now(std::byte* memory, std::size_t bytes);

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
