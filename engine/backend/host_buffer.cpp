// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/host_buffer.h"

#include "engine/core/error.h"
#include "engine/core/round_up.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace dlbench::backend {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::byte* map_pages(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw core::Error(core::ErrorCode::kMemory,
                      "cannot map " + std::to_string(bytes) +
                          " bytes of host memory: " + core::errno_text(errno) +
                          "; use a smaller batch or raise the memory limit");
  }
  return static_cast<std::byte*>(memory);
}

/// Maps pages that begin at a multiple of a huge page: maps one huge page more and unmaps the ends.
/// The rest after the last whole huge page uses small pages, so that no memory beyond `bytes` is
/// taken.
std::byte* map_huge_pages(std::size_t bytes) {
  std::byte* wide = map_pages(bytes + kHugePage);
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(wide) % kHugePage) % kHugePage;
  if (before > 0) {
    munmap(wide, before);
  }
  munmap(wide + before + bytes, kHugePage - before);
  // Only a hint: a kernel without transparent huge pages provides small ones.
  static_cast<void>(madvise(wide + before, bytes, MADV_HUGEPAGE));
  return wide + before;
}

void touch(std::byte* data, std::size_t bytes, std::size_t page) {
  const auto pages = static_cast<std::int64_t>(bytes / page);
#pragma omp parallel for schedule(static) if (bytes >= kHugePage)
  for (std::int64_t i = 0; i < pages; ++i) {
    *static_cast<volatile std::byte*>(data + static_cast<std::size_t>(i) * page) = std::byte{0};
  }
}

}  // namespace

HostBuffer::HostBuffer(std::size_t bytes) : bytes_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  mapped_bytes_ = core::round_up<std::size_t>(bytes == 0 ? 1 : bytes, page);
  data_ = bytes >= kHugePage ? map_huge_pages(mapped_bytes_) : map_pages(mapped_bytes_);
  touch(data_, mapped_bytes_, page);
}

HostBuffer::~HostBuffer() { munmap(data_, mapped_bytes_); }

}  // namespace dlbench::backend
