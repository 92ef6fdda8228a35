// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/communication_thread.h"

#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/parallel.h"
#include "engine/core/trace.h"

#include <pthread.h>

#include <algorithm>

namespace dlbench::comm {
namespace {

constexpr std::chrono::milliseconds kIdleInterval{500};

}  // namespace

CommunicationThread::CommunicationThread(Work work)
    : work_(std::move(work)), thread_([this] { run_started(); }) {}

CommunicationThread::~CommunicationThread() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  started_or_ending_.notify_all();
  thread_.join();
}

void CommunicationThread::rethrow_failure() const {
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
}

Ticket CommunicationThread::start(const ReduceRequest& request) {
  Ticket ticket = 0;
  {
    const std::scoped_lock lock(mutex_);
    rethrow_failure();
    started_.push_back({.request = request, .time = Clock::now()});
    ticket = ++last_started_;
  }
  started_or_ending_.notify_one();
  return ticket;
}

void CommunicationThread::wait(Ticket ticket) {
  const auto begin = Clock::now();
  std::unique_lock lock(mutex_);
  DLBENCH_CHECK(ticket > 0 && ticket <= last_started_) << "ticket " << ticket;
  unblamed_since_ = begin;
  progress_.wait(lock, [&] { return last_done_ >= ticket || failure_ != nullptr; });
  unblamed_since_.reset();
  totals_.exposed_s += core::seconds_since(begin);
  if (last_done_ < ticket) {
    rethrow_failure();
  }
}

void CommunicationThread::run_started() {
  pthread_setname_np(pthread_self(), "communication");
  core::enable_flush_to_zero();
  core::trace::name_this_thread("communication");
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (started_.empty() || failure_ != nullptr) {
      started_or_ending_.wait_for(lock, kIdleInterval);
      if (work_.idle) {
        work_.idle();
      }
      continue;
    }
    const Started next = started_.front();
    lock.unlock();
    CollectiveTimes times;
    std::exception_ptr failure;
    try {
      times = work_.run(next.request, next.time);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    started_.pop_front();
    if (failure != nullptr) {
      failure_ = failure;
    } else {
      ++last_done_;
      count(next.request.bytes(), times);
      // It has just ended: its exposed part is the time for which it kept a waiting caller. What an
      // earlier one kept is counted: on a simulated link the next may have begun before that woke
      // up.
      const auto now = Clock::now();
      count_all_reduce(times,
                       unblamed_since_.has_value()
                           ? std::min(times.transfer_s, core::seconds(now - *unblamed_since_))
                           : 0.0);
      if (unblamed_since_.has_value()) {
        unblamed_since_ = now;
      }
    }
    progress_.notify_all();
  }
}

void CommunicationThread::wait_until_idle(Clock::time_point begin) {
  std::unique_lock lock(mutex_);
  unblamed_since_ = begin;
  progress_.wait(lock, [&] { return last_done_ == last_started_ || failure_ != nullptr; });
  unblamed_since_.reset();
  // Nothing is in flight, and only the calling thread could start something.
  rethrow_failure();
}

void CommunicationThread::finish_here(const Here& call,
                                      const CollectiveTimes& times,
                                      const std::exception_ptr& failure) {
  const std::scoped_lock lock(mutex_);
  totals_.exposed_s += core::seconds_since(call.begin);
  failure_ = failure;
  rethrow_failure();
  count(call.bytes, times);
  if (call.kind == Kind::kAllReduce) {
    count_all_reduce(times, times.transfer_s);
  } else {
    totals_.exposed_transfer_s += times.transfer_s;
  }
}

void CommunicationThread::count(std::size_t bytes, const CollectiveTimes& times) {
  ++totals_.collectives;
  totals_.bytes += static_cast<std::int64_t>(bytes);
  totals_.waiting_s += times.waiting_s;
  totals_.transfer_s += times.transfer_s;
  arrivals_.add(times.ahead_s);
}

void CommunicationThread::count_all_reduce(const CollectiveTimes& times, double exposed_s) {
  totals_.all_reduce_s += times.transfer_s;
  totals_.exposed_all_reduce_s += exposed_s;
  totals_.exposed_transfer_s += exposed_s;
}

CommunicationTotals CommunicationThread::take_totals() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(totals_, {});
}

std::vector<double> CommunicationThread::take_arrivals() {
  const std::scoped_lock lock(mutex_);
  return arrivals_.take();
}

}  // namespace dlbench::comm
