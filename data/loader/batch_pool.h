// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The slots of a loader and the lock that guards them. Private to the loader; it lives as long as
// the loader or the last lease, whichever is longer.
#pragma once

#include "data/batch.h"
#include "engine/core/host_allocator.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace dlbench::data::detail {

/// The batches of a loader and who may use them. `mutex` guards all members except the contents of
/// the batches; a slot's batch belongs to the workers while it is filled, then to its lease.
class BatchPool {
 public:
  BatchPool(std::span<const TensorSpec> specs,
            std::int64_t batch_capacity,
            int slots,
            core::HostAllocator& allocator);

  [[nodiscard]] Batch& batch(int slot) { return batches_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const Batch& batch(int slot) const {
    return batches_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] std::size_t bytes() const;

  std::mutex mutex;
  std::condition_variable work;   ///< a slot became free, a batch was taken or opened, or stop
  std::condition_variable ready;  ///< a batch became complete, or stop
  std::vector<int> free_slots;
  int leased = 0;

  /// Ends a lease and frees its slot. Takes the lock.
  void give_back(int slot) noexcept;

 private:
  std::vector<Batch> batches_;
};

}  // namespace dlbench::data::detail
