// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The communicator between host memories: shared memory within a node, links between nodes.
// Independent of MPI; the MPI plug-in passes in memory and links.
#pragma once

#include "engine/comm/communication_thread.h"
#include "engine/comm/communicator.h"
#include "engine/comm/node_ranks.h"
#include "engine/comm/shared_collectives.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace dlbench::comm {

/// The position of a rank and what it uses to communicate.
struct HostRanks {
  int rank = 0;
  int size = 1;
  std::vector<int> node_ranks;  ///< the ranks of this node, in order
  double timeout_s = 1800.0;    ///< waiting longer than this for a rank is an error
  int spins = 0;                ///< see NodeBarrier
  std::unique_ptr<NodeMemory> memory;
  std::unique_ptr<NodeLinks> links;  ///< nullptr: all ranks are on one node
};

/// Started all-reduces run in order on a thread of its own while the caller computes; blocking
/// calls wait until none is in flight and run on the caller's thread. Streams are those of the
/// host, always ready.
class HostCommunicator final : public Communicator {
 public:
  /// Collective.
  explicit HostCommunicator(HostRanks ranks);
  /// Collective: all ranks destroy it, or are about to end.
  ~HostCommunicator() override;

  [[nodiscard]] std::string_view name() const override {
    return ranks_.links == nullptr ? "shared-window" : "mpi";
  }
  [[nodiscard]] int rank() const override { return ranks_.rank; }
  [[nodiscard]] int size() const override { return ranks_.size; }

  /// Allocates shared memory, or with backend.allocate() if the node has no room for it.
  [[nodiscard]] std::unique_ptr<backend::Buffer> allocate(backend::Backend& backend,
                                                          std::size_t bytes) override;
  [[nodiscard]] Ticket start_all_reduce(const ReduceRequest& request,
                                        backend::Stream& stream) override;
  void wait(Ticket ticket, backend::Stream& stream) override;
  void all_reduce(const ReduceRequest& request, backend::Stream& stream) override;
  void reduce_scatter(const ReduceRequest& request, backend::Stream& stream) override;
  void all_gather(std::byte* data,
                  std::size_t count,
                  core::DType dtype,
                  backend::Stream& stream) override;
  void broadcast(std::byte* data, std::size_t bytes, int root, backend::Stream& stream) override;
  void reduce(const ReduceRequest& request, int root, backend::Stream& stream) override;
  void scatter(std::byte* data,
               std::span<const std::size_t> bounds,
               int root,
               backend::Stream& stream) override;
  void gather(std::byte* data,
              std::span<const std::size_t> bounds,
              int root,
              backend::Stream& stream) override;
  void give_up() override { shared_.give_up(); }
  [[nodiscard]] CommunicationTotals take_totals() override { return thread_.take_totals(); }
  [[nodiscard]] std::vector<double> take_arrivals() override { return thread_.take_arrivals(); }

 private:
  /// Runs the next collective, transfer(its number), and reports it to the trace and to
  /// rank_progress.h.
  template <typename Transfer>
  CollectiveTimes next_collective(std::string_view name, Transfer transfer);
  /// Runs a transfer over the links after a barrier over them, and returns the times of both.
  template <typename Transfer>
  CollectiveTimes over_links(Transfer transfer);
  /// Runs collective `name`, transfer(its number), on the calling thread.
  template <typename Transfer>
  void run_here(std::string_view name,
                std::size_t bytes,
                Transfer transfer,
                CommunicationThread::Kind kind = CommunicationThread::Kind::kOther);
  void check_root(int root) const;
  /// Checks that there is one bound more than ranks.
  void check_bounds(std::span<const std::size_t> bounds) const;

  HostRanks ranks_;
  SharedCollectives shared_;
  std::int64_t number_ = 0;     ///< of the next collective; used only by the thread that runs one
  CommunicationThread thread_;  // last: it uses all of the above
};

}  // namespace dlbench::comm
