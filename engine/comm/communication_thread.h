// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The thread that runs the started all-reduces of a host communicator while the caller computes.
#pragma once

#include "engine/comm/arrival_log.h"
#include "engine/comm/communicator.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::comm {

/// How this rank spent the time of a collective.
struct CollectiveTimes {
  double waiting_s = 0.0;   ///< until all ranks had arrived
  double transfer_s = 0.0;  ///< from then until done
  /// By how much this rank came before the last rank; on the last rank 0, or the time it took to
  /// find out. nullopt if unknown.
  std::optional<double> ahead_s{};
};

/// Runs one collective at a time, in the order of the calls: started ones on its own thread, others
/// on the caller's. After a failure the ranks are out of step, and every later call throws that
/// error. Must be called from one thread. Flushes denormals to zero, as compute threads do.
class CommunicationThread {
 public:
  using Clock = std::chrono::steady_clock;
  struct Work {
    /// Runs a started all-reduce. `started`: when the caller started it.
    std::function<CollectiveTimes(const ReduceRequest& request, Clock::time_point started)> run;
    /// Called about twice a second while there is nothing to run. May be empty.
    std::function<void()> idle;
  };

  explicit CommunicationThread(Work work);
  CommunicationThread(const CommunicationThread&) = delete;
  CommunicationThread& operator=(const CommunicationThread&) = delete;
  /// Waits for the running collective; drops those queued after it.
  ~CommunicationThread();

  [[nodiscard]] Ticket start(const ReduceRequest& request);
  void wait(Ticket ticket);

  /// How totals count a collective.
  enum class Kind : std::uint8_t { kAllReduce, kOther };

  /// Runs `collective`, which returns CollectiveTimes, on the calling thread once nothing is in
  /// flight. `bytes` is counted in the totals.
  template <typename Collective>
  void run_here(std::size_t bytes, Collective collective, Kind kind = Kind::kOther) {
    const auto begin = Clock::now();
    wait_until_idle(begin);
    CollectiveTimes times;
    std::exception_ptr failure;
    try {
      times = collective();
    } catch (...) {
      failure = std::current_exception();
    }
    finish_here({.begin = begin, .bytes = bytes, .kind = kind}, times, failure);
  }

  [[nodiscard]] CommunicationTotals take_totals();
  [[nodiscard]] std::vector<double> take_arrivals();

 private:
  struct Started {
    ReduceRequest request;
    Clock::time_point time;
  };

  /// A blocking call on the caller's thread.
  struct Here {
    Clock::time_point begin;
    std::size_t bytes = 0;
    Kind kind = Kind::kOther;
  };

  void run_started();
  void wait_until_idle(Clock::time_point begin);
  void finish_here(const Here& call,
                   const CollectiveTimes& times,
                   const std::exception_ptr& failure);
  void count(std::size_t bytes, const CollectiveTimes& times);
  void count_all_reduce(const CollectiveTimes& times, double exposed_s);
  void rethrow_failure() const;

  Work work_;
  std::mutex mutex_;
  std::condition_variable started_or_ending_;
  std::condition_variable progress_;
  std::deque<Started> started_;
  /// While the caller blocks: since when, or since a collective ended for which it blocked.
  std::optional<Clock::time_point> unblamed_since_;
  Ticket last_started_ = 0;
  Ticket last_done_ = 0;
  CommunicationTotals totals_;
  ArrivalLog arrivals_;
  std::exception_ptr failure_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace dlbench::comm
