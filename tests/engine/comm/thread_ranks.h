// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks played by threads of one process, so that tests and the thread sanitizer see what the ranks
// of a node do in shared memory. No MPI.
#pragma once

#include "engine/comm/host_communicator.h"
#include "engine/comm/node_ranks.h"

#include <barrier>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace dlbench::comm {

/// The ranks of one node.
class ThreadNode {
 public:
  /// Segments beyond `room` bytes are refused.
  explicit ThreadNode(int ranks, std::size_t room = std::numeric_limits<std::size_t>::max());
  /// What `rank` gets; this outlives it.
  [[nodiscard]] std::unique_ptr<NodeMemory> memory(int rank);

 private:
  friend class ThreadNodeMemory;
  struct Segment {
    explicit Segment(std::size_t bytes);
    std::unique_ptr<std::byte, void (*)(void*)> data;
  };
  std::vector<std::byte*> allocate(int rank, std::size_t bytes);

  int ranks_;
  std::size_t room_;
  std::barrier<> barrier_;
  std::vector<Segment> segments_;
};

/// For a communicator of `size` ranks on one node.
[[nodiscard]] HostRanks ranks_of_node(ThreadNode& node, int rank, int size, int spins = 0);

/// Links between nodes of equal size: rank = node * lanes + lane.
class ThreadNetwork {
 public:
  ThreadNetwork(int nodes, int lanes);
  [[nodiscard]] std::unique_ptr<NodeLinks> links(int rank);

 private:
  friend class ThreadLinks;
  struct Lane {
    explicit Lane(int nodes) : barrier(nodes), data(static_cast<std::size_t>(nodes)) {}
    std::barrier<> barrier;
    std::vector<std::byte*> data;
  };
  int nodes_;
  int lanes_;
  std::vector<std::unique_ptr<Lane>> by_lane_;
  std::barrier<> all_;
  std::vector<std::byte*> data_;
};

/// Calls `work` with each rank on a thread of its own and joins them. An exception that leaves
/// `work` fails the test.
void run_ranks(int ranks, const std::function<void(int rank)>& work);

}  // namespace dlbench::comm
