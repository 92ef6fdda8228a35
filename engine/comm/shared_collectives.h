// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives of the ranks of one node in shared memory: each rank reduces its share of the
// elements over all ranks' memories and writes it to all of them, so that nothing is copied that
// can be read in place.
#pragma once

#include "engine/comm/communication_thread.h"
#include "engine/comm/node_barrier.h"
#include "engine/comm/node_ranks.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dlbench::comm {

/// The collectives. Memory from allocate() is used in place; other memory passes through a staging
/// area in pieces. One thread at a time, except beat() and give_up(), which any thread may call.
class SharedCollectives {
 public:
  struct Options {
    std::vector<int> world_ranks;  ///< of the node's ranks, by index: the numbers in messages
    double timeout_s = 0.0;
    int spins = 0;                                     ///< see NodeBarrier
    std::size_t staging_bytes = std::size_t{2} << 20;  ///< per rank; a multiple of 4096
  };

  /// Collective. `memory` must outlive this object, and so must `links`; nullptr with one node.
  /// Throws core::Error(kMemory) if there is no room for the staging areas.
  SharedCollectives(NodeMemory& memory, NodeLinks* links, Options options);

  /// Allocates a zeroed segment of this rank that collectives use in place; nullptr on all ranks of
  /// the node if there is no room. Collective.
  [[nodiscard]] std::byte* allocate(std::size_t bytes);

  /// As in communicator.h, over the ranks of all nodes. `number` identifies the call in messages.
  CollectiveTimes all_reduce(const ReduceRequest& request, std::int64_t number);

  // Over the ranks of this node, which must be the only one.
  CollectiveTimes reduce_scatter(const ReduceRequest& request, std::int64_t number);
  CollectiveTimes all_gather(std::byte* data,
                             std::size_t count,
                             core::DType dtype,
                             std::int64_t number);
  CollectiveTimes broadcast(std::byte* data, std::size_t bytes, int root, std::int64_t number);
  CollectiveTimes reduce(const ReduceRequest& request, int root, std::int64_t number);
  CollectiveTimes scatter(std::byte* data,
                          std::span<const std::size_t> bounds,
                          int root,
                          std::int64_t number);
  CollectiveTimes gather(std::byte* data,
                         std::span<const std::size_t> bounds,
                         int root,
                         std::int64_t number);

  void beat() { barrier_->beat(); }
  /// Makes the waits of another thread in this object throw.
  void give_up();

 private:
  struct Window {
    std::vector<std::byte*> segments;
    std::size_t bytes = 0;
  };
  struct Call;
  struct Slice;

  [[nodiscard]] static Slice slice(const Call& call, int owner, std::size_t piece);
  [[nodiscard]] std::byte* address(const Call& call, int rank, int owner, std::size_t piece) const;
  [[nodiscard]] CollectiveTimes run(Call& call);
  [[nodiscard]] CollectiveTimes run_small(Call& call);
  void leave_note(const Call& call);
  void read_notes(Call& call);
  void copy_in(const Call& call, std::size_t piece);
  void work(const Call& call, std::size_t piece);
  void reduce_slice(const Call& call, std::size_t piece);
  void fetch_slices(const Call& call, std::size_t piece);
  void copy_out(const Call& call, std::size_t piece);

  NodeLinks* links_;
  NodeMemory& memory_;
  Options options_;
  std::vector<std::byte*> staging_;  // by rank: for large calls on memory that is not shared
  std::vector<std::byte*> small_;    // by rank: two slots for small calls
  double* other_nodes_s_ = nullptr;  // shared: how long lane 0 waited for other nodes in this call
  std::unique_ptr<NodeBarrier> barrier_;
  std::vector<Window> windows_;
  std::uint64_t small_calls_ = 0;
  // Scratch of one call, by rank, kept so that a step allocates nothing.
  std::vector<std::byte*> in_place_;
  std::vector<const std::byte*> sources_;
  std::vector<std::byte*> targets_;
};

}  // namespace dlbench::comm
