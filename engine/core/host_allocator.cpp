// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/host_allocator.h"

#include "engine/core/error.h"
#include "engine/core/round_up.h"

#include <cstdlib>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace dlbench::core {
namespace {

constexpr std::size_t kAlignment = 64;  // one cache line, and the widest vector register

class PageableAllocator final : public HostAllocator {
 public:
  void* allocate(std::size_t bytes) override {
    const std::size_t rounded = round_up(bytes, kAlignment);
    void* memory = std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
    if (memory == nullptr) {
      throw Error(ErrorCode::kMemory,
                  "cannot allocate " + std::to_string(bytes) + " bytes of host memory");
    }
    return memory;
  }
  void deallocate(void* memory, std::size_t /*bytes*/) noexcept override { std::free(memory); }
};

}  // namespace

HostAllocator& default_host_allocator() {
  static PageableAllocator allocator;
  return allocator;
}

void release_free_memory() {
  // A sanitizer replaces glibc's allocator, which is then not set up for use by several threads.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
  malloc_trim(0);
#endif
}

}  // namespace dlbench::core
