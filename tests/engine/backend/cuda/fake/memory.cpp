// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of the device, which is NaN until something is written, and pinned memory of the host.
#include "tests/engine/backend/cuda/fake/observer.h"
#include "tests/engine/backend/cuda/fake/runtime.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

namespace dlbench::fake {
namespace {

constexpr std::size_t kAlignment = 512;  // of cudaMalloc: 256 at least
constexpr int kPoison = 0xFF;

struct Allocation {
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  int device = 0;
};

/// By address; locked by the runtime's mutex.
std::map<const std::byte*, Allocation>& allocations() {
  static auto* const all = new std::map<const std::byte*, Allocation>;
  return *all;
}

std::size_t taken(int device) {
  std::size_t bytes = 0;
  for (const auto& [address, allocation] : allocations()) {
    if (allocation.kind == MemoryKind::kDevice && allocation.device == device) {
      bytes += allocation.bytes;
    }
  }
  return bytes;
}

/// This process' successful ones.
std::int64_t& device_allocations() {
  static std::int64_t count = 0;
  return count;
}

std::size_t left(int device) {
  const std::int64_t last = setting().filled_after;
  return last > 0 && device_allocations() >= last ? 0 : setting().memory_bytes - taken(device);
}

cudaError_t allocate(void** memory, std::size_t bytes, MemoryKind kind) {
  if (const cudaError_t refused = refuse_unsafe_call(); refused != cudaSuccess) {
    return refused;
  }
  const auto lock = lock_runtime();
  if (device_failure() != cudaSuccess) {
    return device_failure();
  }
  const int device = current_device();
  if (kind == MemoryKind::kDevice && bytes > left(device)) {
    return cudaErrorMemoryAllocation;
  }
  *memory = ::operator new(bytes, std::align_val_t(kAlignment), std::nothrow);
  if (*memory == nullptr) {
    return cudaErrorMemoryAllocation;
  }
  std::memset(*memory, kPoison, bytes);
  device_allocations() += kind == MemoryKind::kDevice ? 1 : 0;
  allocations()[static_cast<std::byte*>(*memory)] = {
      .bytes = bytes, .kind = kind, .device = device};
  return cudaSuccess;
}

// Waits for the device first, as CUDA does.
cudaError_t give_back(void* memory, MemoryKind kind) {
  if (memory == nullptr) {
    return device_failure();
  }
  if (const cudaError_t refused = refuse_unsafe_call(); refused != cudaSuccess) {
    return refused;
  }
  int device = 0;
  {
    const auto lock = lock_runtime();
    const auto found = allocations().find(static_cast<std::byte*>(memory));
    if (found == allocations().end() || found->second.kind != kind) {
      return cudaErrorInvalidValue;
    }
    device = found->second.device;
  }
  drain_device(device);
  const auto lock = lock_runtime();
  allocations().erase(static_cast<std::byte*>(memory));
  ::operator delete(memory, std::align_val_t(kAlignment));
  return device_failure();
}

}  // namespace

MemoryKind kind_of(const void* data, std::size_t bytes) {
  const auto lock = lock_runtime();
  const auto* begin = static_cast<const std::byte*>(data);
  auto next = allocations().upper_bound(begin);
  if (next == allocations().begin()) {
    return MemoryKind::kPageable;
  }
  const auto& [address, allocation] = *std::prev(next);
  if (begin >= address + allocation.bytes) {
    return MemoryKind::kPageable;
  }
  return begin + bytes <= address + allocation.bytes ? allocation.kind : MemoryKind::kOutside;
}

bool is_device_memory(const void* data, std::size_t bytes) {
  return kind_of(data, bytes) == MemoryKind::kDevice;
}

}  // namespace dlbench::fake

// NOLINTNEXTLINE(google-build-using-namespace): all that follows are functions of C, outside of it.
using namespace dlbench::fake;

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const Call call("cudaMalloc");
  return answer(allocate(memory, bytes, MemoryKind::kDevice));
}

cudaError_t cudaFree(void* memory) {
  const Call call("cudaFree");
  return answer(give_back(memory, MemoryKind::kDevice));
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  const Call call("cudaHostAlloc");
  return answer(allocate(memory, bytes, MemoryKind::kPinned));
}

cudaError_t cudaFreeHost(void* memory) {
  const Call call("cudaFreeHost");
  return answer(give_back(memory, MemoryKind::kPinned));
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const Call call("cudaMemGetInfo");
  const auto lock = lock_runtime();
  *total = setting().memory_bytes;
  *free = left(current_device());
  return answer(device_failure());
}
