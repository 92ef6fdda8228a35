// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The consumer's ownership of one batch of a loader.
#pragma once

#include "data/batch.h"

#include <memory>

namespace dlbench::data {

namespace detail {
class BatchPool;
}

/// Holds one batch slot until it is destroyed or release()d. Move-only. May outlive the loader.
class BatchLease {
 public:
  BatchLease() = default;
  BatchLease(std::shared_ptr<detail::BatchPool> pool, int slot);
  BatchLease(BatchLease&& other) noexcept;
  BatchLease& operator=(BatchLease&& other) noexcept;
  BatchLease(const BatchLease&) = delete;
  BatchLease& operator=(const BatchLease&) = delete;
  ~BatchLease() { release(); }

  /// False if all epochs are over or the loader was stopped.
  explicit operator bool() const { return pool_ != nullptr; }
  [[nodiscard]] const Batch& operator*() const;
  [[nodiscard]] const Batch* operator->() const;
  /// Gives the slot back and leaves the lease empty. May be called on any thread.
  void release() noexcept;

 private:
  // Shared, so that a cached batch (synthetic trials) stays valid after its loader is gone.
  std::shared_ptr<detail::BatchPool> pool_;
  int slot_ = -1;
};

}  // namespace dlbench::data
