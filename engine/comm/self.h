// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The communicator of a single rank.
#pragma once

#include "engine/comm/communicator.h"

#include <span>
#include <string_view>

namespace dlbench::comm {

/// For one rank: every collective leaves the data unchanged and returns at once.
class SelfCommunicator : public Communicator {
 public:
  [[nodiscard]] std::string_view name() const override { return "self"; }
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] bool capturable() const override { return true; }
  [[nodiscard]] Ticket start_all_reduce(const ReduceRequest& /*request*/,
                                        backend::Stream& /*stream*/) override {
    return 0;
  }
  void wait(Ticket /*ticket*/, backend::Stream& /*stream*/) override {}
  void reduce_scatter(const ReduceRequest& /*request*/, backend::Stream& /*stream*/) override {}
  void all_gather(std::byte* /*data*/,
                  std::size_t /*count*/,
                  core::DType /*dtype*/,
                  backend::Stream& /*stream*/) override {}
  void broadcast(std::byte* /*data*/,
                 std::size_t /*bytes*/,
                 int /*root*/,
                 backend::Stream& /*stream*/) override {}
  void reduce(const ReduceRequest& /*request*/,
              int /*root*/,
              backend::Stream& /*stream*/) override {}
  void scatter(std::byte* /*data*/,
               std::span<const std::size_t> /*bounds*/,
               int /*root*/,
               backend::Stream& /*stream*/) override {}
  void gather(std::byte* /*data*/,
              std::span<const std::size_t> /*bounds*/,
              int /*root*/,
              backend::Stream& /*stream*/) override {}
};

}  // namespace dlbench::comm
