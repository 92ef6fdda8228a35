// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Who looks after the host while it waits for a device on which collectives run by themselves: if a
// rank is gone, the work behind its collective never ends, and neither would the wait.
#pragma once

#include "engine/comm/communicator.h"
#include "engine/comm/rank_progress.h"
#include "engine/core/clock.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace dlbench::comm {

/// A thread that looks ten times a second whether a collective has failed, the launch has, the host
/// has waited for too long, or the run shall end (set_end_check) while it waits; then it ends the
/// collectives, so that the wait ends, and the wait throws. The wait itself stays the driver's own:
/// nothing is polled in its way, and it ends no later than without this.
class DeviceWatch {
 public:
  /// What is watched. Both functions are called from the watch's thread.
  struct Collectives {
    /// Throws core::Error if one of them has failed. Quick.
    std::function<void()> check;
    /// Ends those on the device, whatever their result, and refuses later ones. Quick: it does not
    /// wait for the device.
    std::function<void()> abort;
    int rank = 0;
    double timeout_s = 0.0;  ///< how long the host may wait
  };

  explicit DeviceWatch(Collectives collectives);
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;
  ~DeviceWatch();

  /// Runs `work`, which may block until the device has done what it was given. Throws what was
  /// found, before or meanwhile, once `work` has ended; else what `work` throws. From one thread,
  /// not nested.
  template <typename Work>
  void during(const Work& work) {
    const AwaitingDevice awaiting;
    since_ns_.store(core::steady_ns(), std::memory_order_release);
    try {
      work();
    } catch (...) {
      since_ns_.store(kNobody, std::memory_order_release);
      rethrow_failure();  // what `work` met is a consequence
      throw;
    }
    since_ns_.store(kNobody, std::memory_order_release);
    rethrow_failure();
  }

  /// Throws what was found: core::Error(kRun) for a failed collective, kTimeout for a wait that was
  /// too long, that of end_waits() (rank_progress.h) or of the check of set_end_check().
  void rethrow_failure() const {
    if (failed_.load(std::memory_order_acquire)) [[unlikely]] {
      std::rethrow_exception(failure_);
    }
  }

 private:
  static constexpr std::int64_t kNobody = -1;  ///< waits

  void look(const std::stop_token& stop);
  void look_once() const;

  Collectives collectives_;
  std::atomic<std::int64_t> since_ns_{kNobody};  ///< when the host began to wait
  std::exception_ptr failure_;                   ///< written once, before failed_
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::condition_variable_any ending_;
  std::jthread thread_;  // last: it uses all of the above
};

/// From now on all watches of this process ask `check` during waits of more than two seconds. It
/// throws once the run shall end, and is called from their threads, never after the next
/// set_end_check() has returned. Empty: they do not ask.
void set_end_check(std::function<void()> check);

/// Runs `work`, watched where the communicator has a watch.
template <typename Work>
void watched(Communicator& communicator, const Work& work) {
  if (DeviceWatch* watch = communicator.watch(); watch != nullptr) {
    watch->during(work);
  } else {
    work();
  }
}

}  // namespace dlbench::comm
