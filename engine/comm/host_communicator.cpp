// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/host_communicator.h"

#include "engine/comm/rank_progress.h"
#include "engine/comm/reduce.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/log.h"
#include "engine/core/trace.h"

#include <chrono>
#include <string>
#include <utility>

namespace dlbench::comm {
namespace {

namespace trace = core::trace;
using Clock = std::chrono::steady_clock;

/// A segment of shared memory that the communicator owns and frees.
class WindowBuffer final : public backend::Buffer {
 public:
  WindowBuffer(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  [[nodiscard]] std::byte* data() override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

void check(const ReduceRequest& request) {
  DLBENCH_CHECK(can_reduce(request.dtype)) << "reduction of " << core::name(request.dtype);
  DLBENCH_CHECK(request.data != nullptr || request.count == 0) << "no data";
}

}  // namespace

HostCommunicator::HostCommunicator(HostRanks ranks)
    : ranks_(std::move(ranks)),
      shared_(
          *ranks_.memory,
          ranks_.links.get(),
          {.world_ranks = ranks_.node_ranks, .timeout_s = ranks_.timeout_s, .spins = ranks_.spins}),
      thread_({.run =
                   [this](const ReduceRequest& request, Clock::time_point /*started*/) {
                     return next_collective("all_reduce", [&](std::int64_t number) {
                       return shared_.all_reduce(request, number);
                     });
                   },
               // Gives signs of life even while the caller computes.
               .idle = [this] { shared_.beat(); }}) {}

HostCommunicator::~HostCommunicator() {
  // Only a rank that ends because of an error has a collective in flight.
  shared_.give_up();
}

std::unique_ptr<backend::Buffer> HostCommunicator::allocate(backend::Backend& backend,
                                                            std::size_t bytes) {
  const AwaitingMessage awaiting("shared memory");
  std::byte* data = shared_.allocate(bytes);
  if (data == nullptr) {
    core::log::warn("no room for " + std::to_string(bytes) +
                    " bytes of shared memory per rank (see /dev/shm): gradients are copied for "
                    "each all-reduce");
    return backend.allocate(bytes);
  }
  return std::make_unique<WindowBuffer>(data, bytes);
}

Ticket HostCommunicator::start_all_reduce(const ReduceRequest& request,
                                          backend::Stream& /*stream*/) {
  check(request);
  return thread_.start(request);
}

void HostCommunicator::wait(Ticket ticket, backend::Stream& /*stream*/) { thread_.wait(ticket); }

template <typename Transfer>
CollectiveTimes HostCommunicator::next_collective(std::string_view name, Transfer transfer) {
  const std::int64_t number = number_++;
  const trace::Region region(trace::Category::kComm, name, number);
  const InCollective inside(name, number);
  return transfer(number);
}

template <typename Transfer>
CollectiveTimes HostCommunicator::over_links(Transfer transfer) {
  const auto start = Clock::now();
  ranks_.links->barrier();
  const auto arrived = Clock::now();
  transfer();
  return {.waiting_s = core::seconds(arrived - start),
          .transfer_s = core::seconds(Clock::now() - arrived),
          .ahead_s = core::seconds(arrived - start)};
}

template <typename Transfer>
void HostCommunicator::run_here(std::string_view name,
                                std::size_t bytes,
                                Transfer transfer,
                                CommunicationThread::Kind kind) {
  thread_.run_here(
      bytes, [&] { return next_collective(name, transfer); }, kind);
}

void HostCommunicator::check_root(int root) const {
  DLBENCH_CHECK(root >= 0 && root < ranks_.size) << "root " << root;
}

void HostCommunicator::check_bounds(std::span<const std::size_t> bounds) const {
  DLBENCH_CHECK(bounds.size() == static_cast<std::size_t>(ranks_.size) + 1) << bounds.size();
}

void HostCommunicator::all_reduce(const ReduceRequest& request, backend::Stream& /*stream*/) {
  check(request);
  run_here(
      "all_reduce",
      request.bytes(),
      [&](std::int64_t number) { return shared_.all_reduce(request, number); },
      CommunicationThread::Kind::kAllReduce);
}

void HostCommunicator::reduce_scatter(const ReduceRequest& request, backend::Stream& /*stream*/) {
  check(request);
  run_here("reduce_scatter", request.bytes(), [&](std::int64_t number) {
    return ranks_.links == nullptr ? shared_.reduce_scatter(request, number)
                                   : over_links([&] { ranks_.links->reduce_scatter(request); });
  });
}

void HostCommunicator::all_gather(std::byte* data,
                                  std::size_t count,
                                  core::DType dtype,
                                  backend::Stream& /*stream*/) {
  run_here("all_gather", count * core::size_of(dtype), [&](std::int64_t number) {
    return ranks_.links == nullptr
               ? shared_.all_gather(data, count, dtype, number)
               : over_links([&] { ranks_.links->all_gather(data, count, dtype); });
  });
}

void HostCommunicator::broadcast(std::byte* data,
                                 std::size_t bytes,
                                 int root,
                                 backend::Stream& /*stream*/) {
  check_root(root);
  run_here("broadcast", bytes, [&](std::int64_t number) {
    return ranks_.links == nullptr
               ? shared_.broadcast(data, bytes, root, number)
               : over_links([&] { ranks_.links->broadcast(data, bytes, root); });
  });
}

void HostCommunicator::reduce(const ReduceRequest& request, int root, backend::Stream& stream) {
  check(request);
  check_root(root);
  if (ranks_.links != nullptr) {
    return Communicator::reduce(request, root, stream);  // throws
  }
  run_here("reduce", request.bytes(), [&](std::int64_t number) {
    return shared_.reduce(request, root, number);
  });
}

void HostCommunicator::scatter(std::byte* data,
                               std::span<const std::size_t> bounds,
                               int root,
                               backend::Stream& stream) {
  check_root(root);
  check_bounds(bounds);
  if (ranks_.links != nullptr) {
    return Communicator::scatter(data, bounds, root, stream);  // throws
  }
  run_here("scatter", bounds.back(), [&](std::int64_t number) {
    return shared_.scatter(data, bounds, root, number);
  });
}

void HostCommunicator::gather(std::byte* data,
                              std::span<const std::size_t> bounds,
                              int root,
                              backend::Stream& stream) {
  check_root(root);
  check_bounds(bounds);
  if (ranks_.links != nullptr) {
    return Communicator::gather(data, bounds, root, stream);  // throws
  }
  run_here("gather", bounds.back(), [&](std::int64_t number) {
    return shared_.gather(data, bounds, root, number);
  });
}

}  // namespace dlbench::comm
