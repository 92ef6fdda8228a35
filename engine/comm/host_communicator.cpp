// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/host_communicator.h"

#include "engine/comm/reduce.h"
#include "engine/core/check.h"
#include "engine/core/log.h"
#include "engine/core/parallel.h"
#include "engine/core/trace.h"

#include <pthread.h>

#include <chrono>
#include <string>
#include <utility>

namespace dlbench::comm {
namespace {

namespace trace = core::trace;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBeatInterval{500};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A segment of the communicator, which frees it.
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
      thread_([this] { run_started(); }) {}

HostCommunicator::~HostCommunicator() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  // Does nothing unless this rank ends with a collective in flight, that is, because of an error.
  shared_.give_up();
  work_.notify_all();
  thread_.join();
}

std::unique_ptr<backend::Buffer> HostCommunicator::allocate(backend::Backend& backend,
                                                            std::size_t bytes) {
  std::byte* data = shared_.allocate(bytes);
  if (data == nullptr) {
    core::log::warn("no room for " + std::to_string(bytes) +
                    " bytes of shared memory per rank (see /dev/shm): gradients are copied for "
                    "each all-reduce");
    return backend.allocate(bytes);
  }
  return std::make_unique<WindowBuffer>(data, bytes);
}

void HostCommunicator::rethrow_failure() const {
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
}

Ticket HostCommunicator::start_all_reduce(const ReduceRequest& request,
                                          backend::Stream& /*stream*/) {
  check(request);
  Ticket ticket = 0;
  {
    const std::scoped_lock lock(mutex_);
    rethrow_failure();
    started_.push_back(request);
    ticket = ++last_started_;
  }
  work_.notify_one();
  return ticket;
}

void HostCommunicator::wait(Ticket ticket, backend::Stream& /*stream*/) {
  const auto start = Clock::now();
  std::unique_lock lock(mutex_);
  DLBENCH_CHECK(ticket > 0 && ticket <= last_started_) << "ticket " << ticket;
  progress_.wait(lock, [&] { return last_done_ >= ticket || failure_ != nullptr; });
  totals_.exposed_s += seconds_since(start);
  if (last_done_ < ticket) {
    rethrow_failure();
  }
}

void HostCommunicator::run_started() {
  pthread_setname_np(pthread_self(), "communication");
  core::enable_flush_to_zero();
  trace::name_this_thread("communication");
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (started_.empty() || failure_ != nullptr) {
      // The sign of life also while the caller computes, or runs a blocking call.
      work_.wait_for(lock, kBeatInterval);
      shared_.beat();
      continue;
    }
    const ReduceRequest request = started_.front();
    lock.unlock();
    std::exception_ptr failure;
    CollectiveTimes times;
    try {
      const trace::Region region(trace::Category::kComm, "all_reduce", number_);
      shared_.all_reduce(request, number_++, times);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    started_.pop_front();
    totals_.waiting_s += times.waiting_s;
    totals_.transfer_s += times.transfer_s;
    if (failure != nullptr) {
      failure_ = failure;
    } else {
      ++last_done_;
      ++totals_.collectives;
      totals_.bytes += static_cast<std::int64_t>(request.count * core::size_of(request.dtype));
    }
    progress_.notify_all();
  }
}

template <typename Collective>
void HostCommunicator::run_inline(std::string_view name, std::size_t bytes, Collective collective) {
  const auto start = Clock::now();
  std::unique_lock lock(mutex_);
  progress_.wait(lock, [&] { return last_done_ == last_started_ || failure_ != nullptr; });
  rethrow_failure();
  lock.unlock();
  // Nothing is in flight and only this thread could start something.
  CollectiveTimes times;
  std::exception_ptr failure;
  try {
    const trace::Region region(trace::Category::kComm, name, number_);
    collective(number_++, times);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  totals_.waiting_s += times.waiting_s;
  totals_.transfer_s += times.transfer_s;
  totals_.exposed_s += seconds_since(start);
  ++totals_.collectives;
  totals_.bytes += static_cast<std::int64_t>(bytes);
  failure_ = failure;
  rethrow_failure();
}

template <typename Transfer>
void HostCommunicator::over_links(CollectiveTimes& times, Transfer transfer) {
  const auto start = Clock::now();
  ranks_.links->barrier();
  const auto arrived = Clock::now();
  transfer();
  times.waiting_s += std::chrono::duration<double>(arrived - start).count();
  times.transfer_s += seconds_since(arrived);
}

void HostCommunicator::all_reduce(const ReduceRequest& request, backend::Stream& /*stream*/) {
  check(request);
  run_inline("all_reduce",
             request.count * core::size_of(request.dtype),
             [&](std::int64_t number, CollectiveTimes& times) {
               shared_.all_reduce(request, number, times);
             });
}

void HostCommunicator::reduce_scatter(const ReduceRequest& request, backend::Stream& /*stream*/) {
  check(request);
  run_inline("reduce_scatter",
             request.count * core::size_of(request.dtype),
             [&](std::int64_t number, CollectiveTimes& times) {
               if (ranks_.links != nullptr) {
                 // The share of a rank then crosses the links within everybody's.
                 shared_.all_reduce(request, number, times);
               } else {
                 shared_.reduce_scatter(request, number, times);
               }
             });
}

void HostCommunicator::all_gather(std::byte* data,
                                  std::size_t count,
                                  core::DType dtype,
                                  backend::Stream& /*stream*/) {
  run_inline(
      "all_gather", count * core::size_of(dtype), [&](std::int64_t number, CollectiveTimes& times) {
        if (ranks_.links == nullptr) {
          shared_.all_gather(data, count, dtype, number, times);
          return;
        }
        over_links(times, [&] { ranks_.links->all_gather(data, count, dtype); });
      });
}

void HostCommunicator::broadcast(std::byte* data,
                                 std::size_t bytes,
                                 int root,
                                 backend::Stream& /*stream*/) {
  DLBENCH_CHECK(root >= 0 && root < ranks_.size) << "root " << root;
  run_inline("broadcast", bytes, [&](std::int64_t number, CollectiveTimes& times) {
    if (ranks_.links == nullptr) {
      shared_.broadcast(data, bytes, root, number, times);
      return;
    }
    over_links(times, [&] { ranks_.links->broadcast(data, bytes, root); });
  });
}

CommunicationTotals HostCommunicator::take_totals() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(totals_, {});
}

}  // namespace dlbench::comm
