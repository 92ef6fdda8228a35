// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages and the progress line. All of it goes to stderr: stdout belongs to results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::core::log {

enum class Level { kQuiet, kNormal, kVerbose };

/// What is printed: kQuiet warnings only, kNormal also info, kVerbose also progress where stderr is
/// no terminal. Set once, from main.
void set_level(Level level);

/// From now on this process prints nothing here, warnings included: another rank speaks for it, and
/// may ask for warnings().
void silence();

void info(std::string_view message);
void warn(std::string_view message);
/// warn(), but the same message only once in the life of the process.
void warn_once(std::string_view message);
/// The first 32 different warnings, each on one line: all that were given, or after silence() those
/// that were not printed.
[[nodiscard]] std::vector<std::string> warnings();
/// "dlbench: <message>", whatever the level is and also after silence(): what ended the command.
void error(std::string_view message);

/// `text` with control characters written as in C ("\n", "\x1b"): a file name neither splits a
/// line nor steers a terminal. All messages and the progress line go through it.
[[nodiscard]] std::string one_line(std::string_view text);
/// one_line() of each of its lines, for a text that quotes files and goes to stdout.
[[nodiscard]] std::string lines(std::string_view text);

/// Replaces the progress line, if stderr is a terminal and the level is not quiet, at most ten
/// times per second, cut to its width; an empty text removes it. Elsewhere, if the level is
/// verbose, a line of its own every ten seconds. Thread safe.
void progress(std::string_view text);

}  // namespace dlbench::core::log
