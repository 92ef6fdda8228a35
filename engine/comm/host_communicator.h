// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The communicator between the memories of processors: shared memory within a node, links between
// nodes. It knows no MPI; the MPI plug-in hands in memory and links.
#pragma once

#include "engine/comm/communicator.h"
#include "engine/comm/node_ranks.h"
#include "engine/comm/shared_collectives.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
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

  [[nodiscard]] std::string_view name() const override { return "shared-window"; }
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
  [[nodiscard]] CommunicationTotals take_totals() override;

 private:
  template <typename Collective>
  void run_inline(std::string_view name, std::size_t bytes, Collective collective);
  void run_started();
  template <typename Transfer>
  void over_links(CollectiveTimes& times, Transfer transfer);
  void rethrow_failure() const;

  HostRanks ranks_;
  SharedCollectives shared_;
  std::int64_t number_ = 0;  ///< of the collective that runs; only whoever runs it touches it

  std::mutex mutex_;
  std::condition_variable work_;      ///< something was started, or the end
  std::condition_variable progress_;  ///< something is done
  std::deque<ReduceRequest> started_;
  Ticket last_started_ = 0;
  Ticket last_done_ = 0;
  CommunicationTotals totals_;
  std::exception_ptr failure_;  ///< of a collective: after it the ranks are out of step
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace dlbench::comm
