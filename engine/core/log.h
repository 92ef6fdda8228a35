// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages and the progress line. All output goes to stderr: stdout is reserved for results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::core::log {

enum class Level { kQuiet, kNormal, kVerbose };

/// Sets what is printed: kQuiet warnings only, kNormal also info, kVerbose also progress if stderr
/// is not a terminal. Called once, from main().
void set_level(Level level);

/// Stops all further output of this process except error(), warnings included: another rank reports
/// for it and may ask for warnings().
void silence();

void info(std::string_view message);
void warn(std::string_view message);
/// As warn(), but prints the same message only once per process.
void warn_once(std::string_view message);
/// The first 32 distinct warnings, each on one line: all of this process, or after silence() those
/// that were not printed.
[[nodiscard]] std::vector<std::string> warnings();
/// Prints "dlbench: <message>", at every level and even after silence(): why the command ended.
void error(std::string_view message);

/// Returns `text` with control characters escaped as in C ("\n", "\x1b"), so that a file name can
/// neither split a line nor control a terminal. Applied to all messages and the progress line.
[[nodiscard]] std::string one_line(std::string_view text);
/// Applies one_line() to each line of a text that quotes files and goes to stdout.
[[nodiscard]] std::string lines(std::string_view text);

/// Shows progress. On a terminal, unless the level is kQuiet: replaces the progress line at most
/// ten times per second, cut to the terminal's width; an empty text removes the line. Elsewhere, if
/// the level is kVerbose: prints a line every ten seconds. Thread safe.
void progress(std::string_view text);

}  // namespace dlbench::core::log
