// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How a kernel that is a plain function gets its addresses.
#pragma once

#include "engine/backend/lowering.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace dlbench::backend {

/// The addresses for one call, in the order of the emission's reads and writes.
struct KernelCall {
  std::byte* const* reads;
  std::byte* const* writes;
  std::byte* scratch;

  template <typename T = void>
  [[nodiscard]] const T* in(std::size_t index) const {
    return reinterpret_cast<const T*>(reads[index]);
  }
  template <typename T = void>
  [[nodiscard]] T* out(std::size_t index) const {
    return reinterpret_cast<T*>(writes[index]);
  }
};

/// Looks up the addresses before each call, since inputs move between steps. Calls allocate
/// nothing.
class SlotAddresses {
 public:
  SlotAddresses(std::vector<SlotId> reads, std::vector<SlotId> writes)
      : reads_(std::move(reads)),
        writes_(std::move(writes)),
        read_addresses_(reads_.size()),
        write_addresses_(writes_.size()) {}

  /// As Kernel::bind().
  void bind(const SlotTable& slots, std::byte* scratch) {
    slots_ = &slots;
    scratch_ = scratch;
  }

  /// The addresses for a call; valid until the next gather().
  [[nodiscard]] KernelCall gather() {
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      read_addresses_[i] = (*slots_)[reads_[i]];
    }
    for (std::size_t i = 0; i < writes_.size(); ++i) {
      write_addresses_[i] = (*slots_)[writes_[i]];
    }
    return {read_addresses_.data(), write_addresses_.data(), scratch_};
  }

 private:
  std::vector<SlotId> reads_;
  std::vector<SlotId> writes_;
  std::vector<std::byte*> read_addresses_;
  std::vector<std::byte*> write_addresses_;
  const SlotTable* slots_ = nullptr;
  std::byte* scratch_ = nullptr;
};

}  // namespace dlbench::backend
