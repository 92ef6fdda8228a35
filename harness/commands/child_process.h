// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs another program: a plotting script, a scheduler's submit command.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

struct ChildOptions {
  std::optional<std::string> input;  ///< its standard input; empty: that of this process
  bool capture_output = false;       ///< return its standard output instead of passing it on
};

struct ChildResult {
  int start_error = 0;  ///< errno if it could not be started; the other members then mean nothing
  int code = 0;         ///< its exit code; 128 + n after signal n
  std::string output;   ///< what it printed, if captured
};

/// Runs a program found on PATH with `arguments` (the program first) and waits for it. It inherits
/// our standard error. Throws core::Error(kLibrary) if pipes or waiting fail.
[[nodiscard]] ChildResult run_child(std::vector<std::string> arguments,
                                    const ChildOptions& options = {});

}  // namespace dlbench::harness
