// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The consumer's hold on one batch of a loader.
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

  /// False: the epochs are over, or the loader was stopped.
  explicit operator bool() const { return pool_ != nullptr; }
  [[nodiscard]] const Batch& operator*() const;
  [[nodiscard]] const Batch* operator->() const;
  /// Gives the slot back; the lease is empty afterwards. Any thread.
  void release() noexcept;

 private:
  // Shared: a cached batch (synthetic trials) stays valid when its loader is gone.
  std::shared_ptr<detail::BatchPool> pool_;
  int slot_ = -1;
};

}  // namespace dlbench::data
