// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What may end a run from outside: Ctrl-C, SIGTERM, SIGUSR1 and SIGUSR2 (sent by schedulers before
// the walltime ends), SIGXCPU (a limit of processor time), SIGHUP (the terminal is gone),
// --timeout. The measuring loops check between steps; comm::DeviceWatch checks for a host that
// waits for its device.
#pragma once

#include "engine/core/error.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace dlbench::harness {

/// Catches SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU while it lives; a second Ctrl-C
/// ends the process at once. A SIGHUP ignored at construction (nohup) stays ignored. Make one at a
/// time, before the compute threads: it blocks the signals in its thread and so in the threads
/// started later, and receives them in a thread of its own, because oneDNN's matrix kernels keep a
/// small stack on the heap, where a signal handler's frame would overwrite adjacent memory. If
/// nobody checks for ten seconds after a signal or the time-out (a hang), the process says its last
/// words and ends with code 130 or 124; the partial report of the last repetition is then on disk.
/// SIGCONT is counted too (probes::count_continued()).
class RunGuard {
 public:
  /// Throws core::Error(kLibrary) if the process has no descriptor left.
  explicit RunGuard(std::optional<double> timeout_s);
  RunGuard(const RunGuard&) = delete;
  RunGuard& operator=(const RunGuard&) = delete;
  ~RunGuard();

  /// Throws core::Error(kInterrupted) or core::Error(kTimeout) if the run must end, and the error
  /// of comm::end_waits() if another rank has failed. Callable from any thread.
  void check();
  /// Calls check() of the existing guard, if any. For long work without access to the guard, such
  /// as choosing kernels.
  static void check_current();
  /// Calls check_current() and gives a sign of life, for long work of a rank while the others wait.
  static void check_at_work();
  /// Sets what is called, in a thread of its own and for two seconds at most, with the cause before
  /// the existing guard ends the process by force. Does nothing without a guard.
  static void set_last_words(std::function<void(const core::Error&)> last_words);
  [[nodiscard]] double elapsed_s() const;
  /// Shows the user what the run does and how long it has been running.
  void show_progress(const std::string& what) const;

 private:
  class Watcher;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<double> timeout_s_;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace dlbench::harness
