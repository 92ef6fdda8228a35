// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The source of host memory. The loader allocates batches through this interface, so that a device
// backend can supply pinned memory without the data folder knowing about devices.
#pragma once

#include <cstddef>
#include <utility>

namespace dlbench::core {

/// Source of host memory. Implementations are thread safe.
class HostAllocator {
 public:
  HostAllocator() = default;
  HostAllocator(const HostAllocator&) = delete;
  HostAllocator& operator=(const HostAllocator&) = delete;
  virtual ~HostAllocator() = default;

  /// Returns at least `bytes` bytes, 64-byte aligned, uninitialised. Throws Error(kMemory).
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  /// Frees memory returned by allocate(); `bytes` is the size then requested. nullptr is allowed.
  virtual void deallocate(void* memory, std::size_t bytes) noexcept = 0;
};

/// The allocator of ordinary pageable memory, 64-byte aligned. Lives as long as the process.
[[nodiscard]] HostAllocator& default_host_allocator();

/// Returns freed memory that the C library keeps for reuse to the system.
void release_free_memory();

/// Owns one block of an allocator. Move-only.
class HostBlock {
 public:
  HostBlock() = default;
  HostBlock(HostAllocator& allocator, std::size_t bytes)
      : allocator_(&allocator), memory_(allocator.allocate(bytes)), bytes_(bytes) {}
  HostBlock(HostBlock&& other) noexcept { swap(other); }
  HostBlock& operator=(HostBlock&& other) noexcept {
    HostBlock moved(std::move(other));
    swap(moved);
    return *this;
  }
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;
  ~HostBlock() {
    if (allocator_ != nullptr) {
      allocator_->deallocate(memory_, bytes_);
    }
  }

  [[nodiscard]] std::byte* data() { return static_cast<std::byte*>(memory_); }
  [[nodiscard]] const std::byte* data() const { return static_cast<const std::byte*>(memory_); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void swap(HostBlock& other) noexcept {
    std::swap(allocator_, other.allocator_);
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
  }

  HostAllocator* allocator_ = nullptr;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace dlbench::core
