// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/allocation_counter.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
// glibc's allocator under the names that cannot be replaced.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace dlbench::tests {
namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> own{0};
std::atomic<std::int64_t> library{0};
std::atomic<std::int64_t> primitives{0};
std::atomic<void*> first_own{nullptr};
std::atomic<std::int64_t> openmp{0};

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool contains(std::uintptr_t address) const {
    return address >= begin && address < end;
  }
};

AddressRange dnnl_code;
AddressRange gomp_code;
AddressRange jpeg_code;

// Finds where the libraries lie; before counting, since the loader takes a lock.
void find_libraries() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* /*data*/) {
        AddressRange range{.begin = info->dlpi_addr};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const std::uintptr_t end =
              info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
          range.end = end > range.end ? end : range.end;
        }
        const char* name = info->dlpi_name != nullptr ? info->dlpi_name : "";
        if (std::strstr(name, "libdnnl") != nullptr) {
          dnnl_code = range;
        } else if (std::strstr(name, "libgomp") != nullptr) {
          gomp_code = range;
        } else if (std::strstr(name, "libjpeg") != nullptr) {
          jpeg_code = range;
        }
        return 0;
      },
      nullptr);
}

}  // namespace

void count_allocation(void* caller) {
  if (!counting.load(std::memory_order_relaxed)) {
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  if (dnnl_code.contains(address) || jpeg_code.contains(address)) {
    ++library;
    return;
  }
  if (gomp_code.contains(address)) {
    ++openmp;
    return;
  }
  ++own;
  void* expected = nullptr;
  first_own.compare_exchange_strong(expected, caller);
}

void count_primitive() { primitives += counting.load() ? 1 : 0; }

void start_counting() {
  find_libraries();
  own = library = openmp = primitives = 0;
  first_own = nullptr;
  counting = true;
}

AllocationCount stop_counting() {
  counting = false;
  AllocationCount count{.own = own, .library = library, .openmp = openmp, .primitives = primitives};
  Dl_info place{};
  if (first_own.load() != nullptr && dladdr(first_own.load(), &place) != 0) {
    count.first_own = std::string(place.dli_fname != nullptr ? place.dli_fname : "?") + " " +
                      (place.dli_sname != nullptr ? place.dli_sname : "?");
  }
  return count;
}

}  // namespace dlbench::tests

using dlbench::tests::count_allocation;

namespace {

void* allocate_or_throw(std::size_t alignment, std::size_t bytes) {
  void* memory = __libc_memalign(alignment, bytes == 0 ? 1 : bytes);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) {
  count_allocation(__builtin_return_address(0));
  return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  count_allocation(__builtin_return_address(0));
  return __libc_calloc(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) {
  count_allocation(__builtin_return_address(0));
  return __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  count_allocation(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  count_allocation(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  count_allocation(__builtin_return_address(0));
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? 12 : 0;  // ENOMEM
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  using Function = void* (*)(void*, std::size_t, int, int, int, off_t);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "mmap"));
  count_allocation(__builtin_return_address(0));
  return real(address, bytes, protection, flags, file, offset);
}

// oneDNN's C interface, without its header: dnnl_primitive_create(primitive*, descriptor).
int dnnl_primitive_create(void** primitive, const void* descriptor) {
  using Function = int (*)(void**, const void*);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "dnnl_primitive_create"));
  dlbench::tests::count_primitive();
  return real(primitive, descriptor);
}

}  // extern "C"

// Replaced too, so that the caller of new is seen and not the standard library's operator new.
void* operator new(std::size_t bytes) {
  count_allocation(__builtin_return_address(0));
  return allocate_or_throw(alignof(std::max_align_t), bytes);
}
void* operator new[](std::size_t bytes) {
  count_allocation(__builtin_return_address(0));
  return allocate_or_throw(alignof(std::max_align_t), bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  count_allocation(__builtin_return_address(0));
  return allocate_or_throw(static_cast<std::size_t>(alignment), bytes);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  count_allocation(__builtin_return_address(0));
  return allocate_or_throw(static_cast<std::size_t>(alignment), bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*a*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/, std::align_val_t /*a*/) noexcept {
  std::free(memory);
}
