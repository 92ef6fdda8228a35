// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/run_guard.h"

#include "engine/comm/device_watch.h"
#include "engine/comm/rank_progress.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "probes/node/disturbance.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using Clock = std::chrono::steady_clock;

// Written by the signal handler: the only place where it can record the signal.
std::atomic<int>& caught_signal() {
  static std::atomic<int> signal_number = 0;
  static_assert(std::atomic<int>::is_always_lock_free, "a handler may not lock");
  return signal_number;
}

// The handler writes to it to wake the watcher; -1: no watcher.
std::atomic<int>& wake_descriptor() {
  static std::atomic<int> descriptor = -1;
  return descriptor;
}

std::atomic<RunGuard*>& current_guard() {
  static std::atomic<RunGuard*> guard = nullptr;
  return guard;
}

// Time without a check after a signal or the time-out that counts as a hang.
constexpr double kGraceSeconds = 10.0;

// Batch systems warn by SIGTERM, SIGUSR1 or SIGUSR2, and about CPU time by SIGXCPU.
constexpr std::array kCaughtSignals{SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGHUP};

sigset_t caught_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal_number : kCaughtSignals) {
    sigaddset(&signals, signal_number);
  }
  sigaddset(&signals, SIGCONT);
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
    case SIGUSR2:
      return "SIGUSR2 (walltime?)";
    case SIGXCPU:
      return "SIGXCPU (limit of CPU time?)";
    default:
      return "SIGUSR1 (walltime?)";
  }
}

// Time of the first Ctrl-C; 0: none yet.
std::atomic<std::int64_t>& first_interrupt_ns() {
  static std::atomic<std::int64_t> time_ns = 0;
  static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a handler may not lock");
  return time_ns;
}

std::int64_t handler_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// A second Ctrl-C ends the process. But a sender that signals a process and its group, as `timeout`
// does, is received twice within microseconds and means one signal.
void on_signal(int signal_number) {
  constexpr std::int64_t kOneSignalNs = 200'000'000;
  const int errno_before = errno;
  if (signal_number == SIGINT) {
    std::int64_t first_ns = 0;
    const std::int64_t now_ns = handler_ns();
    if (!first_interrupt_ns().compare_exchange_strong(first_ns, now_ns) &&
        now_ns - first_ns > kOneSignalNs) {
      std::signal(SIGINT, SIG_DFL);
      ::raise(SIGINT);
    }
  }
  caught_signal() = signal_number;
  ::eventfd_write(wake_descriptor(), 1);
  errno = errno_before;
}

}  // namespace

// A thread that receives the signals, and ends the process if nobody checks in time.
class RunGuard::Watcher {
 public:
  explicit Watcher(std::optional<double> timeout_s) : wake_(::eventfd(0, EFD_CLOEXEC)) {
    if (wake_ < 0) {
      throw Error(ErrorCode::kLibrary, "cannot watch for signals: " + core::errno_text(errno));
    }
    wake_descriptor() = wake_;
    first_interrupt_ns() = 0;
    for (std::size_t i = 0; i < kCaughtSignals.size(); ++i) {
      handlers_before_[i] = std::signal(kCaughtSignals[i], on_signal);
      if (kCaughtSignals[i] == SIGHUP && handlers_before_[i] == SIG_IGN) {
        std::signal(SIGHUP, SIG_IGN);
      }
    }
    continued_before_ = std::signal(SIGCONT, probes::count_continued);
    pthread_sigmask(SIG_SETMASK, nullptr, &mask_before_);
    try {
      thread_ = std::thread([this, timeout_s] {
        const sigset_t ours = caught_signals();
        pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
        watch(timeout_s);
      });
      const sigset_t ours = caught_signals();
      pthread_sigmask(SIG_BLOCK, &ours, nullptr);
      speaker_ = std::thread([this] { speak(); });
    } catch (...) {  // a limit of threads, which may allow the first
      stop();
      throw;
    }
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() { stop(); }
  void set_last_words(std::function<void(const Error&)> last_words) {
    const std::scoped_lock lock(last_words_mutex_);
    last_words_ = std::move(last_words);
  }

 private:
  void stop() {
    stopping_ = true;
    ::eventfd_write(wake_, 1);
    if (thread_.joinable()) {
      thread_.join();
    }
    {
      const std::scoped_lock lock(end_mutex_);
      over_ = true;
    }
    end_known_.notify_all();
    if (speaker_.joinable()) {
      speaker_.join();
    }
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    for (std::size_t i = 0; i < kCaughtSignals.size(); ++i) {
      std::signal(kCaughtSignals[i], handlers_before_[i]);
    }
    std::signal(SIGCONT, continued_before_);
    wake_descriptor() = -1;
    ::close(wake_);
  }

  // Runs until told to stop, or until the time after a signal or the time-out has passed.
  void watch(std::optional<double> timeout_s) {
    std::optional<Clock::time_point> end;
    if (timeout_s.has_value()) {
      end = in_seconds(*timeout_s + kGraceSeconds);
    }
    bool signal_seen = false;
    while (!stopping_) {
      if (caught_signal() != 0 && !signal_seen) {
        signal_seen = true;
        end = std::min(end.value_or(Clock::time_point::max()), in_seconds(kGraceSeconds));
      }
      if (end.has_value() && Clock::now() >= *end) {
        end_process();
      }
      pollfd wake{.fd = wake_, .events = POLLIN, .revents = 0};
      if (::poll(&wake, 1, end.has_value() ? milliseconds_until(*end) : -1) > 0) {
        eventfd_t ignored = 0;
        ::eventfd_read(wake_, &ignored);
      }
    }
  }

  static Clock::time_point in_seconds(double seconds) {
    constexpr double kFarAway = 1e9;  // decades; nanoseconds of much more overflow
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(std::min(seconds, kFarAway)));
  }

  // Returns the time rounded up, at most a day.
  static int milliseconds_until(Clock::time_point end) {
    using std::chrono::milliseconds;
    constexpr milliseconds kDay = std::chrono::hours(24);
    return static_cast<int>(
        std::clamp(std::chrono::ceil<milliseconds>(end - Clock::now()), milliseconds(0), kDay)
            .count());
  }

  [[noreturn]] void end_process() {
    const int signal_number = caught_signal();
    const Error end(signal_number == SIGINT ? ErrorCode::kInterrupted : ErrorCode::kTimeout,
                    "ended by force: the run has not looked up for " +
                        std::to_string(static_cast<int>(kGraceSeconds)) + " s after " +
                        (signal_number == 0 ? "its --timeout" : name_of(signal_number)) +
                        "; a report that it had begun holds what was finished");
    core::log::error(end.what());
    say_last_words(end);
    _exit(core::exit_code(end.code()));
  }

  // The disk that they are written to may be what hangs.
  void say_last_words(const Error& end) {
    constexpr std::chrono::seconds kEnough{2};
    std::unique_lock lock(end_mutex_);
    end_ = end;
    over_ = true;
    end_known_.notify_all();
    end_known_.wait_for(lock, kEnough, [this] { return said_; });
  }

  // Uses a thread that exists before anything hangs: the dynamic loader, possibly blocked by a file
  // on a dead file system, would prevent starting one.
  void speak() {
    std::unique_lock lock(end_mutex_);
    end_known_.wait(lock, [this] { return over_; });
    if (!end_.has_value()) {
      return;
    }
    lock.unlock();
    try {
      const std::scoped_lock words(last_words_mutex_);
      if (last_words_) {
        last_words_(*end_);
      }
    } catch (const std::exception& error) {
      core::log::warn(error.what());
    }
    lock.lock();
    said_ = true;
    end_known_.notify_all();
  }

  int wake_;
  std::atomic<bool> stopping_ = false;
  std::mutex last_words_mutex_;
  std::function<void(const Error&)> last_words_;
  std::mutex end_mutex_;
  std::condition_variable end_known_;
  bool over_ = false;         // the guard ends
  std::optional<Error> end_;  // and the process with it
  bool said_ = false;
  std::array<void (*)(int), kCaughtSignals.size()> handlers_before_{};
  void (*continued_before_)(int) = SIG_DFL;
  sigset_t mask_before_{};
  std::thread thread_;
  std::thread speaker_;
};

RunGuard::RunGuard(std::optional<double> timeout_s) : timeout_s_(timeout_s) {
  caught_signal() = 0;
  watcher_ = std::make_unique<Watcher>(timeout_s);
  current_guard() = this;
  comm::set_end_check([this] { check(); });
}

RunGuard::~RunGuard() {
  comm::set_end_check({});
  current_guard() = nullptr;
  watcher_.reset();
}

double RunGuard::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void RunGuard::show_progress(const std::string& what) const {
  core::log::progress(fmt::format("{}, {:.0f} s", what, elapsed_s()));
}

void RunGuard::set_last_words(std::function<void(const Error&)> last_words) {
  if (RunGuard* guard = current_guard(); guard != nullptr) {
    guard->watcher_->set_last_words(std::move(last_words));
  }
}

void RunGuard::check_current() {
  if (RunGuard* guard = current_guard(); guard != nullptr) {
    guard->check();
  }
}

void RunGuard::check_at_work() {
  comm::beat(comm::own_progress());
  check_current();
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
