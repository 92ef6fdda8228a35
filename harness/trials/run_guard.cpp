// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/run_guard.h"

#include "engine/comm/rank_progress.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using Clock = std::chrono::steady_clock;

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

// Of nobody asking, after a signal or the time-out: a hang.
constexpr double kGraceSeconds = 10.0;

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
    case SIGINT:
      return "Ctrl-C";
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

// A thread that receives the signals, and ends the process when nobody asks in time.
class RunGuard::Watcher {
 public:
  explicit Watcher(std::optional<double> timeout_s) : stop_(::eventfd(0, EFD_CLOEXEC)) {
    if (stop_ < 0) {
      throw Error(ErrorCode::kLibrary, "cannot watch for signals: " + core::errno_text(errno));
    }
    for (std::size_t i = 0; i < kCaughtSignals.size(); ++i) {
      handlers_before_[i] = std::signal(kCaughtSignals[i], on_signal);
      if (kCaughtSignals[i] == SIGHUP && handlers_before_[i] == SIG_IGN) {
        std::signal(SIGHUP, SIG_IGN);
      }
    }
    const sigset_t ours = caught_signals();
    pthread_sigmask(SIG_BLOCK, &ours, &mask_before_);
    thread_ = std::thread([this, timeout_s] { watch(timeout_s); });
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() {
    ::eventfd_write(stop_, 1);
    thread_.join();
    ::close(stop_);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    for (std::size_t i = 0; i < kCaughtSignals.size(); ++i) {
      std::signal(kCaughtSignals[i], handlers_before_[i]);
    }
  }

 private:
  // Signals arrive while it waits, and nowhere else.
  void watch(std::optional<double> timeout_s) {
    sigset_t while_waiting;
    pthread_sigmask(SIG_BLOCK, nullptr, &while_waiting);
    for (const int signal_number : kCaughtSignals) {
      sigdelset(&while_waiting, signal_number);
    }
    std::optional<Clock::time_point> end;
    if (timeout_s.has_value()) {
      end = Clock::now() + to_duration(*timeout_s + kGraceSeconds);
    }
    bool told = false;
    while (true) {
      if (caught_signal() != 0 && !told) {
        told = true;
        const auto soon = Clock::now() + to_duration(kGraceSeconds);
        end = end.has_value() ? std::min(*end, soon) : soon;
      }
      timespec left{};
      if (end.has_value()) {
        const auto nanoseconds = std::max<std::int64_t>(
            0, std::chrono::duration_cast<std::chrono::nanoseconds>(*end - Clock::now()).count());
        left = {.tv_sec = nanoseconds / 1'000'000'000, .tv_nsec = nanoseconds % 1'000'000'000};
      }
      pollfd stop{.fd = stop_, .events = POLLIN, .revents = 0};
      const int ready = ::ppoll(&stop, 1, end.has_value() ? &left : nullptr, &while_waiting);
      if (ready > 0) {
        return;
      }
      if (ready == 0) {
        end_process();
      }
    }
  }

  static Clock::duration to_duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  [[noreturn]] static void end_process() {
    const int signal_number = caught_signal();
    core::log::error("ended by force: the run has not looked up for " +
                     std::to_string(static_cast<int>(kGraceSeconds)) + " s after " +
                     (signal_number == 0 ? "its --timeout" : name_of(signal_number)) +
                     "; a report that it had begun holds what was finished");
    _exit(core::exit_code(signal_number == SIGINT ? ErrorCode::kInterrupted : ErrorCode::kTimeout));
  }

  int stop_;
  std::array<void (*)(int), kCaughtSignals.size()> handlers_before_{};
  sigset_t mask_before_{};
  std::thread thread_;
};

RunGuard::RunGuard(std::optional<double> timeout_s) : timeout_s_(timeout_s) {
  caught_signal() = 0;
  watcher_ = std::make_unique<Watcher>(timeout_s);
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
