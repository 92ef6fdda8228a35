// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The one exception type for bad input, missing files and failed library calls, and the exit code
// of the program for each kind. Programmer errors use check.h instead.
#pragma once

#include <stdexcept>
#include <string>

namespace dlbench::core {

/// What went wrong, seen from the user. Each code maps to one exit code of the command line.
enum class ErrorCode {
  kUsage,        ///< the command line or the config itself is wrong -> 2
  kUnavailable,  ///< the requested device, precision or launch is impossible here -> 2
  kFile,         ///< a file cannot be read or written -> 1
  kData,         ///< a file was read and its content is wrong -> 1
  kShape,        ///< shapes that do not fit together -> 1
  kMemory,       ///< predicted lack of memory, found before allocating -> 1
  kLibrary,      ///< a call into a library failed -> 1
  kGate,         ///< measured, but a verification or comparison failed -> 3
  kRun,          ///< during the run: NaN, a dead rank, out of memory on the device -> 5
  kTimeout,      ///< time-out, walltime or hang -> 124
  kInterrupted,  ///< Ctrl-C -> 130
};

/// Bad input or a failed call. `what()` names the value seen, the value wanted and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// The process exit code for an error: the table of docs/command-line.md.
[[nodiscard]] int exit_code(ErrorCode code);

/// Exit code of a complete run whose result has a taint, with --strict.
inline constexpr int kTaintedExitCode = 4;

/// Whether the run was ended from outside (Ctrl-C, time-out, walltime) rather than by a failure.
[[nodiscard]] constexpr bool ended_early(ErrorCode code) {
  return code == ErrorCode::kTimeout || code == ErrorCode::kInterrupted;
}

/// The text of strerror(errno_value), with the limits of a file that may not grow.
/// Thread safe.
[[nodiscard]] std::string errno_text(int errno_value);

}  // namespace dlbench::core
