// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From argv to a command and back to an exit code: the whole of main().
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {

/// Parses and runs a command line, prints errors as one line on stderr, and returns the exit code
/// documented in docs/command-line.md. Throws nothing.
[[nodiscard]] int run_command_line(int argc, const char* const* argv) noexcept;

/// What is known about a command line before it runs.
struct CheckedCommandLine {
  std::vector<std::string> unset;       ///< options of the command that were left at their defaults
  std::vector<std::string> set;         ///< the others
  std::optional<std::string> device;    ///< its --device, given or by default
  std::optional<double> timeout_s;      ///< its --timeout
  std::optional<double> time_budget_s;  ///< its --time-budget, given or by default
  /// Options that name an output file or folder, each with its path.
  std::vector<std::pair<std::string, std::string>> written;
};

/// Parses a command line (without the program's name) and reads its values as run_command_line()
/// would on this many ranks, but runs nothing, so that a job's mistakes show before it waits in a
/// queue. Throws core::Error(kUsage).
[[nodiscard]] CheckedCommandLine check_command_line(const std::vector<std::string>& arguments,
                                                    int ranks);

}  // namespace dlbench::harness
