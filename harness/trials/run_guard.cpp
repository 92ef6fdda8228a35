// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/run_guard.h"

#include "engine/comm/rank_progress.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

// Written by the signal handler. The one place where a handler can leave its mark.
std::atomic<int>& caught_signal() {
  static std::atomic<int> signal_number = 0;
  static_assert(std::atomic<int>::is_always_lock_free, "a handler may not lock");
  return signal_number;
}

std::atomic<RunGuard*>& current_guard() {
  static std::atomic<RunGuard*> guard = nullptr;
  return guard;
}

constexpr std::array kCaughtSignals{SIGINT, SIGTERM, SIGUSR1, SIGHUP};

sigset_t caught_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal_number : kCaughtSignals) {
    sigaddset(&signals, signal_number);
  }
  return signals;
}

const char* name_of(int signal_number) {
  switch (signal_number) {
    case SIGTERM:
      return "SIGTERM (walltime?)";
    case SIGHUP:
      return "SIGHUP (terminal closed?)";
    default:
      return "SIGUSR1 (walltime?)";
  }
}

void on_signal(int signal_number) {
  caught_signal() = signal_number;
  std::signal(signal_number, SIG_DFL);  // the second one ends the process
}

}  // namespace

// A thread that receives the signals and enforces the deadline.
class RunGuard::Watcher {
 public:
  explicit Watcher(std::optional<double> deadline_s) {
    for (std::size_t i = 0; i < kCaughtSignals.size(); ++i) {
      handlers_before_[i] = std::signal(kCaughtSignals[i], on_signal);
      if (kCaughtSignals[i] == SIGHUP && handlers_before_[i] == SIG_IGN) {
        std::signal(SIGHUP, SIG_IGN);
      }
    }
    thread_ = std::jthread([this, deadline_s](const std::stop_token& stop) {
      const sigset_t ours = caught_signals();
      pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
      watch(deadline_s, stop);
    });
    const sigset_t ours = caught_signals();
    pthread_sigmask(SIG_BLOCK, &ours, &mask_before_);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() {
    thread_.request_stop();
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    for (std::size_t i = 0; i < kCaughtSignals.size(); ++i) {
      std::signal(kCaughtSignals[i], handlers_before_[i]);
    }
  }

 private:
  void watch(std::optional<double> deadline_s, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!deadline_s.has_value()) {
      wake_.wait(lock, stop, [] { return false; });
      return;
    }
    wake_.wait_for(lock, stop, std::chrono::duration<double>(*deadline_s), [] { return false; });
    if (!stop.stop_requested()) {
      core::log::warn("the run hangs past its --timeout; the report holds what was finished");
      _exit(core::exit_code(ErrorCode::kTimeout));
    }
  }

  std::array<void (*)(int), kCaughtSignals.size()> handlers_before_{};
  sigset_t mask_before_{};
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

RunGuard::RunGuard(std::optional<double> timeout_s) : timeout_s_(timeout_s) {
  constexpr double kGrace = 10.0;
  caught_signal() = 0;
  watcher_ = std::make_unique<Watcher>(timeout_s.has_value() ? std::optional(*timeout_s + kGrace)
                                                             : std::nullopt);
  current_guard() = this;
}

RunGuard::~RunGuard() {
  current_guard() = nullptr;
  watcher_.reset();
}

double RunGuard::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void RunGuard::check_current() {
  if (RunGuard* guard = current_guard(); guard != nullptr) {
    guard->check();
  }
}

void RunGuard::check() {
  comm::check_launch();
  if (caught_signal() == SIGINT) {
    throw Error(ErrorCode::kInterrupted, "interrupted; the report holds what was finished");
  }
  if (const int signal_number = caught_signal(); signal_number != 0) {
    throw Error(
        ErrorCode::kTimeout,
        std::string("ended by ") + name_of(signal_number) + "; the report holds what was finished");
  }
  if (timeout_s_.has_value() && elapsed_s() > *timeout_s_) {
    throw Error(ErrorCode::kTimeout, "--timeout reached; the report holds what was finished");
  }
}

}  // namespace dlbench::harness
