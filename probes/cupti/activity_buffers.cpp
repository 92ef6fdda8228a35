// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/activity_buffers.h"

#include "probes/cupti/activity_records.h"

#include <cupti.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

namespace dlbench::probes {
namespace {

/// Returns the drops since the last call, which CUPTI counts for all buffers together.
std::int64_t take_dropped() {
  std::size_t dropped = 0;
  return cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS
             ? static_cast<std::int64_t>(dropped)
             : 0;
}

// calloc() would zero all of a reused block at once, on a thread that launches work.
std::uint8_t* fresh_block() {
  void* const memory = mmap(nullptr,
                            ActivityBuffers::kBlockBytes,
                            PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS,
                            -1,
                            0);
  return memory != MAP_FAILED ? static_cast<std::uint8_t*>(memory) : nullptr;
}

std::size_t bytes_of(const ActivityBuffers::Full& buffer) {
  const std::size_t mapped = buffer.memory.get_deleter().mapped_bytes;
  return mapped != 0 ? mapped : buffer.bytes;
}

}  // namespace

void ActivityBuffers::Free::operator()(std::uint8_t* memory) const {
  if (mapped_bytes != 0) {
    munmap(memory, mapped_bytes);
  } else {
    std::free(memory);
  }
}

void ActivityBuffers::open() {
  static_cast<void>(take_dropped());  // without our lock: CUPTI may hold one when it calls take()
  const std::lock_guard lock(mutex_);
  is_open_ = true;
}

ActivityBuffers::Content ActivityBuffers::close() {
  if (!is_open_) {
    return {};
  }
  const std::int64_t dropped = take_dropped();
  const std::lock_guard lock(mutex_);
  is_open_ = false;
  content_.dropped += dropped;
  kept_bytes_ = 0;
  return std::exchange(content_, {});
}

std::uint8_t* ActivityBuffers::lend() noexcept {
  const std::lock_guard lock(mutex_);
  if (kept_bytes_ + lent_bytes_ + kBlockBytes > max_bytes_) {
    return nullptr;
  }
  std::uint8_t* const block = fresh_block();
  lent_bytes_ += block != nullptr ? kBlockBytes : 0;
  return block;
}

void ActivityBuffers::take(std::uint8_t* block, std::size_t bytes) noexcept {
  if (block == nullptr) {
    return;  // not lent
  }
  Full buffer{Memory(block, Free{kBlockBytes}), bytes};
  if (is_open_ && bytes != 0 && bytes < kBlockBytes / 2) {
    if (Memory copy(static_cast<std::uint8_t*>(std::malloc(bytes)), Free{}); copy != nullptr) {
      std::memcpy(copy.get(), block, bytes);
      buffer.memory = std::move(copy);
    }
  }
  const std::lock_guard lock(mutex_);
  lent_bytes_ -= kBlockBytes;
  if (is_open_ && bytes != 0) {
    keep(std::move(buffer));
  }
}

void ActivityBuffers::keep(Full buffer) {
  const std::size_t kept = bytes_of(buffer);
  const std::int64_t records = max_records_in(buffer.bytes);
  try {
    content_.buffers.push_back(std::move(buffer));
    kept_bytes_ += kept;
  } catch (const std::exception&) {
    content_.dropped += records;
  }
}

}  // namespace dlbench::probes
