// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives between GPUs through NCCL, on their own high-priority stream: they start after the
// work that was enqueued before, run concurrently with later work, and can be part of a captured
// step.
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
  /// Collective. NCCL's id is exchanged through the rendezvous. Each rank must have a GPU of its
  /// own: NCCL refuses shared ones. Throws core::Error(kTimeout) if the ranks do not connect within
  /// the rendezvous' time-out, and kUnavailable if `repeatable` sums are requested while the
  /// environment requests NVLS.
  explicit NcclCommunicator(comm::Rendezvous& ranks, bool repeatable = false);
  ~NcclCommunicator() override;

  [[nodiscard]] std::string_view name() const override { return "nccl"; }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] bool capturable() const override { return true; }
  [[nodiscard]] comm::DeviceWatch* watch() override { return watch_.get(); }

  /// Allocates memory that NCCL can use without a copy, if all ranks can have it.
  [[nodiscard]] std::unique_ptr<Buffer> allocate(Backend& backend, std::size_t bytes) override;
  [[nodiscard]] comm::Ticket start_all_reduce(const comm::ReduceRequest& request,
                                              Stream& stream) override;
  void wait(comm::Ticket ticket, Stream& stream) override;
  void reduce_scatter(const comm::ReduceRequest& request, Stream& stream) override;
  void all_gather(std::byte* data, std::size_t count, core::DType dtype, Stream& stream) override;
  void broadcast(std::byte* data, std::size_t bytes, int root, Stream& stream) override;
  /// Aborts NCCL's communicator on a thread of its own: its kernels end at once, but NCCL's call
  /// only returns when all captured steps that contain its collectives are destroyed.
  void give_up() override;

 private:
  /// Connects the ranks and starts the watch. Collective.
  void connect(comm::Rendezvous& ranks);
  /// Sets memory_. Collective.
  void agree_on_memory(comm::Rendezvous& ranks);
  void start_watch();
  /// Ends the watch and NCCL's communicator.
  void end();
  /// Destroys the communicator once all ranks have received everything in flight, or aborts it if
  /// that does not happen in time. Collective.
  static void finish(ncclComm_t communicator);
  /// Takes NCCL's communicator out of use and runs `end(communicator)` on a thread of its own.
  template <typename End>
  void leave(End end);
  /// Throws core::Error(kRun) if NCCL has reported an asynchronous error.
  void check();
  /// Runs `use(communicator)`, during which nobody can abort it. Throws core::Error if it was given
  /// up: the error of the call that did so, otherwise kRun.
  template <typename Use>
  auto with_communicator(Use use);
  /// Makes later work on the communication stream wait for the work now in `stream`.
  void fork(Stream& stream);
  /// Makes later work of `stream` wait for the work now on the communication stream.
  void join(Stream& stream);
  /// Runs `start(communicator)`, a non-blocking call, and waits until NCCL reports that it is
  /// complete.
  template <typename Start>
  void call(const char* name, Start start);

  int rank_;
  int size_;
  double timeout_s_;
  int device_ = 0;
  std::shared_ptr<NcclMemory> memory_;  ///< null: not available on every rank
  std::mutex mutex_;                    ///< held in calls that use communicator_
  ncclComm_t communicator_ = nullptr;   ///< null once it was given up
  std::atomic<bool> given_up_{false};
  std::optional<core::Error> why_given_up_;  ///< the error of a call of this rank that did so
  std::thread leaving_;                      ///< what leave() started
  std::future<void> left_;                   ///< its end
  CudaStream stream_{StreamPriority::kHigh};
  std::unique_ptr<Stream::Event> forked_;
  std::unique_ptr<Stream::Event> joined_;
  std::vector<std::unique_ptr<Stream::Event>> done_;  ///< by ticket, reused round-robin
  comm::Ticket next_ticket_ = 0;
  std::unique_ptr<comm::DeviceWatch> watch_;
};

}  // namespace dlbench::backend::cuda
