// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives between ranks. self.h is the communicator of a single rank; MPI and NCCL are
// plug-ins.
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/host_allocator.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace dlbench::comm {

enum class ReduceOp : std::uint8_t { kSum, kAverage, kMax };

/// How ranks find each other before a communicator exists. Only the MPI plug-in calls MPI.
struct Rendezvous {
  int rank = 0;
  int size = 1;
  std::function<void(std::span<std::byte>)> broadcast_bytes;  ///< from rank 0
  std::function<void()> barrier;
  std::function<void(int exit_code)> abort;
};

/// A group of ranks. Calls are collective and in the same order on all ranks; one thread at a time.
/// At one rank every call is a no-op that succeeds.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// Starts an all-reduce in place; memory must stay until wait(). Returns a ticket.
  [[nodiscard]] virtual std::int64_t start_all_reduce(std::byte* data,
                                                      std::size_t count,
                                                      core::DType dtype,
                                                      ReduceOp op) = 0;
  virtual void wait(std::int64_t ticket) = 0;
  virtual void broadcast(std::byte* data, std::size_t bytes, int root) = 0;
  virtual void barrier() = 0;
  /// Memory in which gradients live, shared with the other ranks of a node where that pays.
  [[nodiscard]] virtual core::HostAllocator& allocator() = 0;

  void all_reduce(std::byte* data, std::size_t count, core::DType dtype, ReduceOp op) {
    wait(start_all_reduce(data, count, dtype, op));
  }
};

}  // namespace dlbench::comm
