// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages and the progress line. All of it goes to stderr: stdout belongs to results.
#pragma once

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

/// Replaces the progress line, if stderr is a terminal and the level is not quiet; rate-limited to
/// ten per second. An empty text removes the line. Thread safe.
void progress(std::string_view text);

}  // namespace dlbench::core::log
