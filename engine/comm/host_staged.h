// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives between device memories through host memory, for ranks that share one GPU, which NCCL
// does not support.
#pragma once

#include "engine/comm/communication_thread.h"
#include "engine/comm/forwarding.h"
#include "engine/core/host_allocator.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::comm {

/// Copies to pinned memory, runs the collective there with a communicator between host memories,
/// and copies back; both copies run on streams of their own, ordered with the caller's by events. A
/// started all-reduce runs concurrently with the caller's later work on device and host. Its
/// wait(), and every blocking call, blocks the host until the copy back is enqueued; none waits for
/// that copy. Each bucket needs pinned host memory of its own size.
class HostStagedCommunicator final : public ForwardingCommunicator {
 public:
  /// `inner` connects host memories: its calls block. `backend`, which must outlive this object,
  /// has memory that the host cannot read.
  HostStagedCommunicator(std::unique_ptr<Communicator> inner, backend::Backend& backend);
  ~HostStagedCommunicator() override;

  /// The inner communicator's name followed by ", host-staged".
  [[nodiscard]] std::string_view name() const override { return name_; }
  /// False: the host takes part in each collective.
  [[nodiscard]] bool capturable() const override { return false; }
  [[nodiscard]] std::unique_ptr<backend::Buffer> allocate(backend::Backend& backend,
                                                          std::size_t bytes) override {
    return backend.allocate(bytes);
  }
  [[nodiscard]] Ticket start_all_reduce(const ReduceRequest& request,
                                        backend::Stream& stream) override;
  void wait(Ticket ticket, backend::Stream& stream) override;
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
  /// Empty: the host, which runs ahead of the device, blocks in wait() while the device computes,
  /// so its clock cannot tell what communication costs.
  [[nodiscard]] CommunicationTotals take_totals() override { return {}; }
  [[nodiscard]] std::vector<double> take_arrivals() override { return {}; }

 private:
  /// Pinned memory and the events that order the copies through it.
  struct Stage {
    core::HostBlock host;
    std::unique_ptr<backend::Stream::Event> ready;     ///< the caller's stream has made the data
    std::unique_ptr<backend::Stream::Event> copied;    ///< the host has the data
    std::unique_ptr<backend::Stream::Event> returned;  ///< the device has the result
    bool used = false;                                 ///< `returned` was recorded
  };
  /// Bytes [begin, end) of an array.
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  /// What a blocking collective copies of an array of `bytes` at `data`: to the host and back.
  struct Passage {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    Part out;
    Part back;
  };
  /// A started all-reduce.
  struct Flight {
    Stage* stage = nullptr;
    std::byte* data = nullptr;
    Ticket ticket = 0;  ///< of the communication thread
  };

  Stage& stage_for(const std::byte* data, std::size_t bytes);
  void copy_out(Stage& stage, const std::byte* data, const Part& part, backend::Stream& stream);
  void copy_back(Stage& stage, std::byte* data, const Part& part);
  void run(const ReduceRequest& request);
  template <typename Collective>
  void run_here(const Passage& passage, backend::Stream& stream, Collective collective);

  backend::Backend& backend_;
  std::string name_;
  std::unique_ptr<backend::Stream> out_;   ///< to the host
  std::unique_ptr<backend::Stream> back_;  ///< separate, so as not to wait for later gradients
  /// By the bucket's address, which recurs in every step; nullptr: for blocking collectives.
  std::map<const std::byte*, Stage> stages_;
  std::mutex mutex_;             ///< guards the three below
  std::vector<Flight> flights_;  ///< by ticket; emptied when none is in flight any more
  std::size_t departed_ = 0;     ///< number of those that the thread has begun
  std::size_t landed_ = 0;
  std::unique_ptr<CommunicationThread> thread_;  // last: it uses all of the above
};

}  // namespace dlbench::comm
