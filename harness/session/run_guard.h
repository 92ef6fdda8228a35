// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What may end a run from outside: Ctrl-C, SIGTERM, SIGUSR1 and SIGUSR2 (schedulers send them
// before the walltime ends), SIGXCPU (a limit of processor time), SIGHUP (the terminal is gone),
// --timeout. The measuring loops ask between steps, and for a host that waits for its device
// comm::DeviceWatch does.
#pragma once

#include "engine/core/error.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace dlbench::harness {

/// Catches SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU while it lives; a second Ctrl-C
/// ends the process at once. A SIGHUP that is ignored when the guard is made (nohup) stays so. One
/// at a time, made before the threads that compute: it blocks the signals in its thread, and so in
/// those that it starts, and receives them in one of its own. oneDNN's kernels for matrix products
/// keep a stack of a few kB on the heap, where the frame of a signal handler destroys what is
/// beside it. If nobody asks for ten seconds after a signal or the time-out (a hang), the process
/// says its last words and ends with code 130 or 124: the partial report of the last repetition is
/// on the disk then. SIGCONT is counted (probes::count_continued()), likewise.
class RunGuard {
 public:
  /// Throws core::Error(kLibrary) if the process has no descriptor left.
  explicit RunGuard(std::optional<double> timeout_s);
  RunGuard(const RunGuard&) = delete;
  RunGuard& operator=(const RunGuard&) = delete;
  ~RunGuard();

  /// Throws core::Error(kInterrupted) or core::Error(kTimeout) if the run must end, and the error
  /// of comm::end_waits() if another rank has failed. From any thread.
  void check();
  /// check() of the guard that lives; nothing where there is none. For work that knows of no guard:
  /// choosing kernels takes long.
  static void check_current();
  /// check_current() with a sign of life, of a rank whose work takes long while the others wait.
  static void check_at_work();
  /// Called before the guard that lives ends the process by force, in a thread of its own, with
  /// what ended it; waited for two seconds at most. Nothing where there is no guard.
  static void set_last_words(std::function<void(const core::Error&)> last_words);
  [[nodiscard]] double elapsed_s() const;
  /// Shows the user what the run does and how long it lasts already.
  void show_progress(const std::string& what) const;

 private:
  class Watcher;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<double> timeout_s_;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace dlbench::harness
