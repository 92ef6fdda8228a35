// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives between GPUs through NCCL, on a high-priority stream of their own: they start behind
// the work that was enqueued before, run beside later work, and can be part of a recorded step.
#pragma once

#include "engine/backend/cuda/libraries/cuda_stream.h"
#include "engine/backend/cuda/libraries/nccl_memory.h"
#include "engine/comm/communicator.h"
#include "engine/comm/device_watch.h"
#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"

#include <nccl.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace dlbench::backend::cuda {

class NcclCommunicator final : public comm::Communicator {
 public:
  /// Collective. The id travels through the rendezvous. Each rank has a GPU of its own: NCCL
  /// refuses others. Throws core::Error(kTimeout) if the ranks do not connect within the
  /// rendezvous' time-out, and kUnavailable where `repeatable` sums are asked for and the
  /// environment asks for others.
  explicit NcclCommunicator(comm::Rendezvous& ranks, bool repeatable = false);
  ~NcclCommunicator() override;

  [[nodiscard]] std::string_view name() const override { return "nccl"; }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] bool recordable() const override { return true; }
  [[nodiscard]] comm::DeviceWatch* watch() override { return watch_.get(); }

  /// Memory that NCCL can use without a copy, where all ranks may have such.
  [[nodiscard]] std::unique_ptr<Buffer> allocate(Backend& backend, std::size_t bytes) override;
  [[nodiscard]] comm::Ticket start_all_reduce(const comm::ReduceRequest& request,
                                              Stream& stream) override;
  void wait(comm::Ticket ticket, Stream& stream) override;
  void reduce_scatter(const comm::ReduceRequest& request, Stream& stream) override;
  void all_gather(std::byte* data, std::size_t count, core::DType dtype, Stream& stream) override;
  void broadcast(std::byte* data, std::size_t bytes, int root, Stream& stream) override;
  /// Aborts NCCL's communicator, on a thread of its own: its kernels end at once, but the call
  /// returns only when all recorded steps that hold collectives of it are destroyed.
  void give_up() override;

 private:
  /// Collective. Starts the watch, which looks on from here.
  void connect(comm::Rendezvous& ranks);
  /// Collective: sets memory_.
  void agree_on_memory(comm::Rendezvous& ranks);
  void start_watch();
  /// Of the watch and of NCCL's communicator.
  void end();
  /// Ends the communicator when all ranks have all of what is on its way, and aborts it when they
  /// do not in time. Collective.
  static void finish(ncclComm_t communicator);
  /// Takes NCCL's communicator away, for `end(communicator)` on a thread of its own.
  template <typename End>
  void leave(End end);
  /// Throws core::Error(kRun) if NCCL has met an error since a call returned.
  void check();
  /// `use(communicator)`, while nobody aborts it. Throws core::Error once it was given up: what a
  /// call met that did so, else kRun.
  template <typename Use>
  auto with_communicator(Use use);
  /// What `stream` has in it comes before what follows on the communication stream.
  void fork(Stream& stream);
  /// And what is there now before what follows on `stream`.
  void join(Stream& stream);
  /// `start(communicator)` returns at once; the call is over once NCCL says so.
  template <typename Start>
  void call(const char* name, Start start);

  int rank_;
  int size_;
  double timeout_s_;
  int device_ = 0;
  std::shared_ptr<NcclMemory> memory_;  ///< null: not each rank's NCCL gives memory to others
  std::mutex mutex_;                    ///< held in calls that use communicator_
  ncclComm_t communicator_ = nullptr;   ///< null once it was given up
  std::atomic<bool> given_up_{false};
  std::optional<core::Error> why_given_up_;  ///< where a call of this rank did so
  std::thread leaving_;                      ///< what leave() started
  std::future<void> left_;                   ///< its end
  CudaStream stream_{StreamPriority::kHigh};
  std::unique_ptr<Stream::Event> forked_;
  std::unique_ptr<Stream::Event> joined_;
  std::vector<std::unique_ptr<Stream::Event>> done_;  ///< by ticket, used in turn
  comm::Ticket next_ticket_ = 0;
  std::unique_ptr<comm::DeviceWatch> watch_;
};

}  // namespace dlbench::backend::cuda
