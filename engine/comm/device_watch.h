// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Guards the host's waits for a device that runs collectives by itself: if a rank is gone, the work
// after its collective never ends, and neither would the wait.
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

/// A thread that checks ten times a second whether a collective or the launch has failed, the host
/// has waited too long, or the run is to end during a wait (set_end_check). It then aborts the
/// collectives, so that the wait ends, and during() throws. The wait itself remains the driver's
/// own: nothing polls in its place, and it takes no longer than without the watch.
class DeviceWatch {
 public:
  /// What is watched. Both functions are called from the watch's thread.
  struct Collectives {
    /// Throws core::Error if a collective has failed. Must be quick.
    std::function<void()> check;
    /// Aborts the collectives on the device, with any result, and refuses later ones. Must be
    /// quick: does not wait for the device.
    std::function<void()> abort;
    int rank = 0;
    double timeout_s = 0.0;  ///< how long the host may wait
  };

  explicit DeviceWatch(Collectives collectives);
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;
  ~DeviceWatch();

  /// Runs `work`, which may block until the device has finished. Once `work` has ended, throws the
  /// failure found before or meanwhile, otherwise what `work` throws. Call from one thread, not
  /// nested.
  template <typename Work>
  void during(const Work& work) {
    const AwaitingDevice awaiting;
    since_ns_.store(core::steady_ns(), std::memory_order_release);
    try {
      work();
    } catch (...) {
      since_ns_.store(kNobody, std::memory_order_release);
      rethrow_failure();  // the error of `work` is a consequence
      throw;
    }
    since_ns_.store(kNobody, std::memory_order_release);
    rethrow_failure();
  }

  /// Throws the failure found, if any: core::Error(kRun) for a failed collective, kTimeout for a
  /// wait that was too long, or the error of end_waits() (rank_progress.h) or set_end_check().
  void rethrow_failure() const {
    if (failed_.load(std::memory_order_acquire)) [[unlikely]] {
      std::rethrow_exception(failure_);
    }
  }

 private:
  static constexpr std::int64_t kNobody = -1;  ///< nobody waits

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

/// Makes all watches of this process call `check` during waits of more than two seconds. It throws
/// once the run is to end. It is called from their threads, and never after the next
/// set_end_check() has returned. Empty: no check.
void set_end_check(std::function<void()> check);

/// Runs `work`, watched if the communicator has a watch.
template <typename Work>
void watched(Communicator& communicator, const Work& work) {
  if (DeviceWatch* watch = communicator.watch(); watch != nullptr) {
    watch->during(work);
  } else {
    work();
  }
}

}  // namespace dlbench::comm
