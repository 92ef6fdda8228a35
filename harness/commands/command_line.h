// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From argv to a command and back to an exit code: the whole of main().
#pragma once

namespace dlbench::harness {

/// Parses, runs, prints errors as one line on stderr, returns the exit code of
/// docs/command-line.md. Throws nothing.
[[nodiscard]] int run_command_line(int argc, const char* const* argv) noexcept;

}  // namespace dlbench::harness
