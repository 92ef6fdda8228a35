// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the host communicator is built on: memory that the ranks of one node share, and links
// between nodes. The MPI plug-in provides both; tests provide the first for threads of one process.
#pragma once

#include "engine/comm/communicator.h"

#include <cstddef>
#include <vector>

namespace dlbench::comm {

/// The ranks of one node and memory that they share.
class NodeMemory {
 public:
  NodeMemory() = default;
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  virtual ~NodeMemory() = default;

  /// This rank's index among the ranks of the node.
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// Allocates a zeroed segment of `bytes` bytes per rank, aligned to 4096, and returns the
  /// addresses of all segments in this rank's address space, by rank; empty on all ranks if there
  /// is no room. Collective. Segments live as long as this object.
  [[nodiscard]] virtual std::vector<std::byte*> allocate(std::size_t bytes) = 0;
};

/// The links between nodes. A lane consists of one rank per node, those with the same index on
/// their nodes. All waits may throw core::Error(kTimeout).
class NodeLinks {
 public:
  NodeLinks() = default;
  NodeLinks(const NodeLinks&) = delete;
  NodeLinks& operator=(const NodeLinks&) = delete;
  virtual ~NodeLinks() = default;

  /// The number of lanes, the same on all nodes: the smallest number of ranks on a node.
  [[nodiscard]] virtual int lanes() const = 0;

  /// Waits, sleeping, for the ranks of this rank's lane; the duration is taken as the lateness of
  /// the last of them. Only for ranks that are in a lane.
  virtual void lane_barrier() = 0;
  /// All-reduce over this rank's lane. Only for ranks that are in a lane.
  virtual void lane_all_reduce(const ReduceRequest& request) = 0;
  // The following are over all ranks of all nodes, as in communicator.h.
  virtual void broadcast(std::byte* data, std::size_t bytes, int root) = 0;
  // These two throw core::Error(kUsage) for more than 2^31 - 1 elements, MPI's limit.
  virtual void reduce_scatter(const ReduceRequest& request) = 0;
  virtual void all_gather(std::byte* data, std::size_t count, core::DType dtype) = 0;
  virtual void barrier() = 0;

  /// Called from another thread: current and later waits throw core::Error(kRun).
  virtual void give_up() = 0;
};

}  // namespace dlbench::comm
