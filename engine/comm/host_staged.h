// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives between device memories by way of the host's: for ranks that share one GPU, between
// which NCCL does not work.
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

/// Copies to pinned memory, lets a communicator between host memories do its work there, and copies
/// back; both copies run on streams of their own, tied to the caller's by events. A started
/// all-reduce goes all this way beside the caller's later work, on the device and on the host. Its
/// wait() blocks the host until the copy back is enqueued, the other calls likewise; none waits for
/// that copy. For each bucket the host holds as many pinned bytes as the bucket has.
class HostStagedCommunicator final : public ForwardingCommunicator {
 public:
  /// `inner` joins host memories: its calls block. `backend`, which outlives this, has memory that
  /// the host cannot read.
  HostStagedCommunicator(std::unique_ptr<Communicator> inner, backend::Backend& backend);
  ~HostStagedCommunicator() override;

  /// The inner one's name and ", host-staged".
  [[nodiscard]] std::string_view name() const override { return name_; }
  /// The host has a part in each collective.
  [[nodiscard]] bool recordable() const override { return false; }
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
  /// None: the host, which runs ahead of the device, blocks in wait() while the device computes, so
  /// its clock does not know what communication cost.
  [[nodiscard]] CommunicationTotals take_totals() override { return {}; }
  [[nodiscard]] std::vector<double> take_arrivals() override { return {}; }

 private:
  /// Pinned memory and the way of what passes through it.
  struct Stage {
    core::HostBlock host;
    std::unique_ptr<backend::Stream::Event> ready;     ///< the caller's stream has come so far
    std::unique_ptr<backend::Stream::Event> copied;    ///< the host has the data
    std::unique_ptr<backend::Stream::Event> returned;  ///< the device has the result
    bool used = false;                                 ///< returned was recorded
  };
  /// Bytes [begin, end) of an array.
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  /// What a blocking collective moves: an array of `bytes` at `data`, its parts out and back.
  struct Passage {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    Part out;
    Part back;
  };
  /// An all-reduce that was started.
  struct Flight {
    Stage* stage = nullptr;
    std::byte* data = nullptr;
    Ticket ticket = 0;  ///< of the thread
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
  std::unique_ptr<backend::Stream> back_;  ///< a second one: no copy back waits for later gradients
  /// By the bucket's address, for it comes back at every step; nullptr: of blocking collectives.
  std::map<const std::byte*, Stage> stages_;
  std::mutex mutex_;             ///< of the three below
  std::vector<Flight> flights_;  ///< by ticket; emptied when none is left in the air
  std::size_t departed_ = 0;     ///< of them, those that the thread has taken up
  std::size_t landed_ = 0;
  std::unique_ptr<CommunicationThread> thread_;  // last: it uses all of the above
};

}  // namespace dlbench::comm
