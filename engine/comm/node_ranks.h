// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the host communicator stands on: memory that the ranks of one node share, and a way between
// nodes. The MPI plug-in provides both; tests provide the first for threads of one process.
#pragma once

#include "engine/comm/communicator.h"

#include <cstddef>
#include <vector>

namespace dlbench::comm {

/// The ranks of one node and memory that all of them see.
class NodeMemory {
 public:
  NodeMemory() = default;
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  virtual ~NodeMemory() = default;

  /// This rank's index among those of the node.
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// A zeroed segment of `bytes` bytes per rank, aligned to 4096; the addresses of all of them as
  /// this rank sees them, by rank. Empty on all ranks if there is no room. Collective. Segments
  /// live as long as this object.
  [[nodiscard]] virtual std::vector<std::byte*> allocate(std::size_t bytes) = 0;
};

/// The way between nodes. One lane per index: the ranks with the same index on their nodes, one of
/// each. All waits throw core::Error(kTimeout).
class NodeLinks {
 public:
  NodeLinks() = default;
  NodeLinks(const NodeLinks&) = delete;
  NodeLinks& operator=(const NodeLinks&) = delete;
  virtual ~NodeLinks() = default;

  /// Lanes, the same on all nodes: the smallest number of ranks of a node.
  [[nodiscard]] virtual int lanes() const = 0;

  /// Waits, asleep, for this rank's lane; how long is taken for how late the last of it came. Only
  /// for ranks that are in one.
  virtual void lane_barrier() = 0;
  /// All-reduce over this rank's lane. Only for ranks that are in one.
  virtual void lane_all_reduce(const ReduceRequest& request) = 0;
  /// Over all ranks of all nodes; as in communicator.h.
  virtual void broadcast(std::byte* data, std::size_t bytes, int root) = 0;
  /// These two throw core::Error(kUsage) for more elements than MPI counts, 2^31 - 1.
  virtual void reduce_scatter(const ReduceRequest& request) = 0;
  virtual void all_gather(std::byte* data, std::size_t count, core::DType dtype) = 0;
  virtual void barrier() = 0;

  /// From another thread: waits, now or later, throw core::Error(kRun).
  virtual void give_up() = 0;
};

}  // namespace dlbench::comm
