// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/batch_pool.h"

namespace dlbench::data::detail {

BatchPool::BatchPool(std::span<const TensorSpec> specs,
                     std::int64_t batch_capacity,
                     int slots,
                     core::HostAllocator& allocator) {
  batches_.reserve(static_cast<std::size_t>(slots));
  free_slots.reserve(static_cast<std::size_t>(slots));
  for (int slot = 0; slot < slots; ++slot) {
    batches_.emplace_back(specs, batch_capacity, allocator);
    free_slots.push_back(slots - 1 - slot);
  }
}

std::size_t BatchPool::bytes() const {
  std::size_t sum = 0;
  for (const Batch& batch : batches_) {
    sum += batch.bytes();
  }
  return sum;
}

void BatchPool::give_back(int slot) noexcept {
  {
    const std::lock_guard lock(mutex);
    free_slots.push_back(slot);  // never allocates: reserved for all slots
    --leased;
  }
  work.notify_all();
}

}  // namespace dlbench::data::detail
