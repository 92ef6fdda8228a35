// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The communicator between the memories of processors: shared memory within a node, links between
// nodes. It knows no MPI; the MPI plug-in hands in memory and links.
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

/// Where a rank stands and what it may use.
struct HostRanks {
  int rank = 0;
  int size = 1;
  std::vector<int> node_ranks;  ///< the ranks of this node, in order
  double timeout_s = 1800.0;    ///< a rank that comes later than this is an error
  int spins = 0;                ///< see NodeBarrier
  std::unique_ptr<NodeMemory> memory;
  std::unique_ptr<NodeLinks> links;  ///< nullptr: all ranks are on one node
};

/// All-reduces that were started run in their order on a thread of its own, beside the caller's
/// work; blocking calls with none in flight run on the caller's thread. Streams are those of the
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

  /// In the shared window; backend.allocate() where the node has no room for it.
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
  /// Does the next collective, transfer(its number), and tells the trace and whoever watches this
  /// rank.
  template <typename Transfer>
  CollectiveTimes next_collective(std::string_view name, Transfer transfer);
  /// Times a transfer that the links do after a barrier of theirs.
  template <typename Transfer>
  CollectiveTimes over_links(Transfer transfer);
  /// Does collective `name`, transfer(its number), on the calling thread.
  template <typename Transfer>
  void run_here(std::string_view name,
                std::size_t bytes,
                Transfer transfer,
                CommunicationThread::Kind kind = CommunicationThread::Kind::kOther);
  void check_root(int root) const;
  /// One more than there are ranks.
  void check_bounds(std::span<const std::size_t> bounds) const;

  HostRanks ranks_;
  SharedCollectives shared_;
  std::int64_t number_ = 0;     ///< of the next collective; only whoever runs one touches it
  CommunicationThread thread_;  // last: it uses all of the above
};

}  // namespace dlbench::comm
