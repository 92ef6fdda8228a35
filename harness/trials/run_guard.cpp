// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/run_guard.h"

#include "engine/comm/rank_progress.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

// Written by the signal handler. The one place where a handler can leave its mark.
volatile std::sig_atomic_t& caught_signal() {
  static volatile std::sig_atomic_t signal_number = 0;
  return signal_number;
}

void on_signal(int signal_number) {
  caught_signal() = signal_number;
  std::signal(signal_number, SIG_DFL);  // the second one ends the process
}

}  // namespace

class RunGuard::Watchdog {
 public:
  explicit Watchdog(double deadline_s)
      : thread_([this, deadline_s](const std::stop_token& stop) { watch(deadline_s, stop); }) {}

 private:
  void watch(double deadline_s, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto limit = std::chrono::duration<double>(deadline_s);
    wake_.wait_for(lock, stop, limit, [] { return false; });
    if (!stop.stop_requested()) {
      core::log::warn("the run hangs past its --timeout; the report holds what was finished");
      _exit(core::exit_code(ErrorCode::kTimeout));
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: stops and joins before the others go
};

RunGuard::RunGuard(std::optional<double> timeout_s) : timeout_s_(timeout_s) {
  constexpr double kGrace = 10.0;
  caught_signal() = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGUSR1, on_signal);
  if (timeout_s.has_value()) {
    watchdog_ = std::make_unique<Watchdog>(*timeout_s + kGrace);
  }
}

RunGuard::~RunGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGUSR1, SIG_DFL);
}

double RunGuard::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void RunGuard::check() {
  comm::check_launch();
  if (caught_signal() == SIGINT) {
    throw Error(ErrorCode::kInterrupted, "interrupted; the report holds what was finished");
  }
  if (const int signal_number = caught_signal(); signal_number != 0) {
    throw Error(ErrorCode::kTimeout,
                std::string("ended by ") + (signal_number == SIGTERM ? "SIGTERM" : "SIGUSR1") +
                    " (walltime?); the report holds what was finished");
  }
  if (timeout_s_.has_value() && elapsed_s() > *timeout_s_) {
    throw Error(ErrorCode::kTimeout, "--timeout reached; the report holds what was finished");
  }
}

}  // namespace dlbench::harness
