// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The communicator of a single rank.
#pragma once

#include "engine/comm/communicator.h"

namespace dlbench::comm {

/// One rank: reductions leave the data as it is, barriers return at once.
class SelfCommunicator final : public Communicator {
 public:
  [[nodiscard]] std::string_view name() const override { return "self"; }
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] std::int64_t start_all_reduce(std::byte* /*data*/,
                                              std::size_t /*count*/,
                                              core::DType /*dtype*/,
                                              ReduceOp /*op*/) override {
    return 0;
  }
  void wait(std::int64_t /*ticket*/) override {}
  void broadcast(std::byte* /*data*/, std::size_t /*bytes*/, int /*root*/) override {}
  void barrier() override {}
  [[nodiscard]] core::HostAllocator& allocator() override { return core::default_host_allocator(); }
};

}  // namespace dlbench::comm
