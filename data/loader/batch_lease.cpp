// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/batch_lease.h"

#include "data/loader/batch_pool.h"
#include "engine/core/check.h"

#include <utility>

namespace dlbench::data {

BatchLease::BatchLease(std::shared_ptr<detail::BatchPool> pool, int slot)
    : pool_(std::move(pool)), slot_(slot) {}

BatchLease::BatchLease(BatchLease&& other) noexcept
    : pool_(std::move(other.pool_)), slot_(std::exchange(other.slot_, -1)) {}

BatchLease& BatchLease::operator=(BatchLease&& other) noexcept {
  if (this != &other) {
    release();
    pool_ = std::move(other.pool_);
    slot_ = std::exchange(other.slot_, -1);
  }
  return *this;
}

const Batch& BatchLease::operator*() const {
  DLBENCH_CHECK(pool_ != nullptr) << "an empty lease has no batch";
  return std::as_const(*pool_).batch(slot_);
}

const Batch* BatchLease::operator->() const { return &**this; }

void BatchLease::release() noexcept {
  if (pool_ != nullptr) {
    pool_->give_back(slot_);
    pool_.reset();
  }
}

}  // namespace dlbench::data
