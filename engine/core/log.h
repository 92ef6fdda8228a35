// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages and the progress line. All of it goes to stderr: stdout belongs to results.
#pragma once

#include <string>
#include <string_view>

namespace dlbench::core::log {

enum class Level { kQuiet, kNormal, kVerbose };

/// What is printed: kQuiet warnings only, kNormal also info, kVerbose all. Set once, from main.
void set_level(Level level);

/// Prefixes messages with "[rank N]"; -1 (the default) prints no prefix.
void set_rank(int rank);

/// From now on this process prints nothing here, warnings included: another rank speaks for it.
void silence();

void verbose(std::string_view message);
void info(std::string_view message);
void warn(std::string_view message);
/// warn(), but the same message only once in the life of the process.
void warn_once(std::string_view message);
/// "dlbench: <message>", whatever the level is and also after silence(): what ended the command.
void error(std::string_view message);

/// `text` with control characters written as in C ("\n", "\x1b"): a file name neither splits a
/// line nor steers a terminal. All messages go through it.
[[nodiscard]] std::string one_line(std::string_view text);
/// one_line() of each of its lines, for a text that quotes files and goes to stdout.
[[nodiscard]] std::string lines(std::string_view text);

/// Replaces the progress line, if stderr is a terminal and the level is not quiet; rate-limited to
/// ten per second. An empty text removes the line. Thread safe.
void progress(std::string_view text);

}  // namespace dlbench::core::log
