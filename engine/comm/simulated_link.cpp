// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/simulated_link.h"

#include "engine/backend/host_stream.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace dlbench::comm {
namespace {

using std::chrono::steady_clock;

steady_clock::duration to_duration(double seconds) {
  return std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds));
}

/// How late a sleeper may wake up on an idle processor that must first leave a power state: many
/// times the cost of a small collective.
constexpr std::chrono::microseconds kWakingUp{60};

/// Turns off timer slack for this thread: by default the kernel wakes a sleeper up to 50 us late to
/// save power, as long as a small collective takes.
void wake_punctually() {
  thread_local const bool set = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0;
  static_cast<void>(set);  // refused: sleeps are a little longer
}

}  // namespace

SimulatedLinkCommunicator::SimulatedLinkCommunicator(std::unique_ptr<Communicator> inner,
                                                     const LinkModel& link,
                                                     std::uint64_t seed)
    : ForwardingCommunicator(std::move(inner)),
      link_(link),
      seed_(seed),
      name_(std::string(ForwardingCommunicator::name()) + ", simulated link"),
      thread_({.run =
                   [this](const ReduceRequest& request, Clock::time_point started) {
                     return run(
                         {cost_s(Collective::kAllReduce, request.bytes()), started, Who::kBeside},
                         [&](auto& stream) { this->inner().all_reduce(request, stream); });
                   },
               .idle = {}}) {}

SimulatedLinkCommunicator::~SimulatedLinkCommunicator() { give_up(); }

void SimulatedLinkCommunicator::give_up() {
  inner().give_up();
  {
    const std::scoped_lock lock(mutex_);
    given_up_ = true;
  }
  given_up_changed_.notify_all();
}

void SimulatedLinkCommunicator::wait_until(Clock::time_point end, Who who) {
  wake_punctually();
  const auto sleep_end = who == Who::kCaller ? end - kWakingUp : end;
  bool given_up = false;
  {
    std::unique_lock lock(mutex_);
    // Waiting until a time in the past would still cost a wake-up.
    given_up = sleep_end > Clock::now()
                   ? given_up_changed_.wait_until(lock, sleep_end, [this] { return given_up_; })
                   : given_up_;
  }
  if (given_up) {
    throw core::Error(core::ErrorCode::kRun, "collective on a simulated link: given up");
  }
  while (Clock::now() < end) {
    std::this_thread::yield();
  }
}

/// The arrival time of the last rank, independent of when ranks wake up to learn it.
SimulatedLinkCommunicator::Clock::time_point SimulatedLinkCommunicator::latest(
    Clock::time_point arrival) {
  std::int64_t time = arrival.time_since_epoch().count();
  backend::HostStream stream;
  inner().all_reduce({.data = reinterpret_cast<std::byte*>(&time),
                      .count = 1,
                      .dtype = core::DType::kI64,
                      .op = ReduceOp::kMax},
                     stream);
  const Clock::time_point last{Clock::duration(time)};
  if (last > Clock::now()) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      "a simulated link needs all ranks on one machine: the clock of another rank "
                      "is ahead of this one's");
  }
  return last;
}

double SimulatedLinkCommunicator::cost_s(Collective op, std::size_t bytes) const {
  return collective_s(link_, op, static_cast<std::int64_t>(bytes), size());
}

double SimulatedLinkCommunicator::share_cost_s(std::span<const std::size_t> bounds) const {
  return root_exchange_s(
      link_, static_cast<double>(bounds.back()) / static_cast<double>(size()), size());
}

template <typename Real>
CollectiveTimes SimulatedLinkCommunicator::run(const Call& call, Real real) {
  const auto last_arrival = latest(call.arrival);
  backend::HostStream stream;
  real(stream);
  if (size() == 1) {
    return {};
  }
  const double cost_s = call.cost_s + jitter_s(link_, seed_, number_++);
  const auto ready = std::max(call.arrival, link_free_);
  const auto all_ready = std::max(last_arrival, link_free_);
  link_free_ = std::max(Clock::now(), all_ready + to_duration(cost_s));
  wait_until(link_free_, call.who);
  return {.waiting_s = core::seconds(all_ready - ready),
          .transfer_s = core::seconds(link_free_ - all_ready),
          .ahead_s = core::seconds(last_arrival - call.arrival)};
}

template <typename Real>
void SimulatedLinkCommunicator::run_here(std::size_t bytes,
                                         double cost_s,
                                         Real real,
                                         CommunicationThread::Kind kind) {
  thread_.run_here(
      bytes,
      [&] { return run({.cost_s = cost_s, .arrival = Clock::now(), .who = Who::kCaller}, real); },
      kind);
}

Ticket SimulatedLinkCommunicator::start_all_reduce(const ReduceRequest& request,
                                                   backend::Stream& /*stream*/) {
  return thread_.start(request);
}

void SimulatedLinkCommunicator::wait(Ticket ticket, backend::Stream& /*stream*/) {
  thread_.wait(ticket);
}

void SimulatedLinkCommunicator::all_reduce(const ReduceRequest& request,
                                           backend::Stream& /*stream*/) {
  run_here(
      request.bytes(),
      cost_s(Collective::kAllReduce, request.bytes()),
      [&](auto& stream) { inner().all_reduce(request, stream); },
      CommunicationThread::Kind::kAllReduce);
}

void SimulatedLinkCommunicator::reduce_scatter(const ReduceRequest& request,
                                               backend::Stream& /*stream*/) {
  run_here(request.bytes(), cost_s(Collective::kReduceScatter, request.bytes()), [&](auto& stream) {
    inner().reduce_scatter(request, stream);
  });
}

void SimulatedLinkCommunicator::all_gather(std::byte* data,
                                           std::size_t count,
                                           core::DType dtype,
                                           backend::Stream& /*stream*/) {
  const std::size_t bytes = count * core::size_of(dtype);
  run_here(bytes, cost_s(Collective::kAllGather, bytes), [&](auto& stream) {
    inner().all_gather(data, count, dtype, stream);
  });
}

void SimulatedLinkCommunicator::broadcast(std::byte* data,
                                          std::size_t bytes,
                                          int root,
                                          backend::Stream& /*stream*/) {
  run_here(bytes, cost_s(Collective::kBroadcast, bytes), [&](auto& stream) {
    inner().broadcast(data, bytes, root, stream);
  });
}

void SimulatedLinkCommunicator::reduce(const ReduceRequest& request,
                                       int root,
                                       backend::Stream& /*stream*/) {
  const std::size_t bytes = request.bytes();
  run_here(bytes, root_exchange_s(link_, static_cast<double>(bytes), size()), [&](auto& stream) {
    inner().reduce(request, root, stream);
  });
}

void SimulatedLinkCommunicator::scatter(std::byte* data,
                                        std::span<const std::size_t> bounds,
                                        int root,
                                        backend::Stream& /*stream*/) {
  run_here(bounds.back(), share_cost_s(bounds), [&](auto& stream) {
    inner().scatter(data, bounds, root, stream);
  });
}

void SimulatedLinkCommunicator::gather(std::byte* data,
                                       std::span<const std::size_t> bounds,
                                       int root,
                                       backend::Stream& /*stream*/) {
  run_here(bounds.back(), share_cost_s(bounds), [&](auto& stream) {
    inner().gather(data, bounds, root, stream);
  });
}

}  // namespace dlbench::comm
