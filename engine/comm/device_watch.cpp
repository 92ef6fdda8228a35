// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/device_watch.h"

#include "engine/core/clock.h"
#include "engine/core/error.h"

#include <fmt/format.h>
#include <pthread.h>

#include <utility>

namespace dlbench::comm {
namespace {

constexpr std::chrono::milliseconds kInterval{100};
// Shorter waits are left to the check between steps, which ends a run in better order than an
// abort.
constexpr double kLongWaitS = 2.0;

struct EndCheck {
  std::mutex mutex;
  std::function<void()> check;
};

EndCheck& end_check() {
  static EndCheck check;
  return check;
}

void check_end() {
  const std::scoped_lock lock(end_check().mutex);
  if (end_check().check) {
    end_check().check();
  }
}

}  // namespace

void set_end_check(std::function<void()> check) {
  const std::scoped_lock lock(end_check().mutex);
  end_check().check = std::move(check);
}

DeviceWatch::DeviceWatch(Collectives collectives)
    : collectives_(std::move(collectives)),
      thread_([this](const std::stop_token& stop) { look(stop); }) {}

DeviceWatch::~DeviceWatch() {
  thread_.request_stop();
  thread_.join();
}

void DeviceWatch::look(const std::stop_token& stop) {
  pthread_setname_np(pthread_self(), "device watch");
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, stop, kInterval, [&] { return stop.stop_requested(); })) {
    try {
      look_once();
    } catch (...) {
      failure_ = std::current_exception();
      failed_.store(true, std::memory_order_release);  // first: the next line ends the wait
      collectives_.abort();
      return;
    }
  }
}

void DeviceWatch::look_once() const {
  const std::int64_t since_ns = since_ns_.load(std::memory_order_acquire);
  const double waited_s =
      since_ns == kNobody ? 0.0 : static_cast<double>(core::steady_ns() - since_ns) * 1e-9;
  check_launch();
  if (waited_s > kLongWaitS) {
    check_end();  // first: ranks whose time is over abort each other's collectives
  }
  collectives_.check();
  if (waited_s > collectives_.timeout_s) {
    throw core::Error(
        core::ErrorCode::kTimeout,
        fmt::format("[rank {}] the device has not ended its work within {:g} s: a rank is missing "
                    "from a collective, or hangs",
                    collectives_.rank,
                    collectives_.timeout_s));
  }
}

}  // namespace dlbench::comm
