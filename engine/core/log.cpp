// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/log.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::core::log {
namespace {

constexpr std::size_t kMaxKept = 32;

struct State {
  std::mutex mutex;
  Level level = Level::kNormal;
  bool silent = false;
  bool terminal = isatty(STDERR_FILENO) == 1;
  bool line_shown = false;
  std::set<std::string, std::less<>> said_once;
  std::vector<std::string> warnings;
  std::chrono::steady_clock::time_point last_progress{};
};

State& state() {
  static State instance;
  return instance;
}

void clear_line(State& log) {
  if (log.line_shown) {
    std::fputs("\r\033[K", stderr);
    log.line_shown = false;
  }
}

/// Cuts `line` so that it does not wrap on the terminal, since a wrapped line is not cleared by
/// later text; returns all of it if the width is unknown. Counts bytes, so the result may be
/// shorter than what fits, but never splits a UTF-8 character.
std::string fitted(std::string line) {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
      line.size() < size.ws_col) {
    return line;
  }
  std::size_t end = size.ws_col - 1U;
  constexpr unsigned kTopBits = 0xc0;
  constexpr unsigned kContinues = 0x80;  // a UTF-8 continuation byte
  while (end > 0 && (static_cast<unsigned char>(line[end]) & kTopBits) == kContinues) {
    --end;
  }
  line.resize(end);
  return line;
}

void print(Level level, std::string_view label, std::string_view message) {
  State& log = state();
  const std::lock_guard lock(log.mutex);
  if (log.silent || level > log.level) {
    return;
  }
  clear_line(log);
  std::fputs((std::string(label) + one_line(message) + "\n").c_str(), stderr);
}

}  // namespace

void set_level(Level level) {
  const std::lock_guard lock(state().mutex);
  state().level = level;
}

void silence() {
  const std::lock_guard lock(state().mutex);
  state().silent = true;
  state().warnings.clear();
}

void info(std::string_view message) { print(Level::kNormal, "", message); }

void warn(std::string_view message) {
  State& log = state();
  {
    const std::lock_guard lock(log.mutex);
    std::string line = one_line(message);
    if (log.warnings.size() < kMaxKept && !std::ranges::count(log.warnings, line)) {
      log.warnings.push_back(std::move(line));
    }
  }
  print(Level::kQuiet, "warning: ", message);
}

std::vector<std::string> warnings() {
  const std::lock_guard lock(state().mutex);
  return state().warnings;
}

void warn_once(std::string_view message) {
  State& log = state();
  {
    const std::lock_guard lock(log.mutex);
    if (!log.said_once.emplace(message).second) {
      return;
    }
  }
  warn(message);
}

void error(std::string_view message) {
  State& log = state();
  const std::lock_guard lock(log.mutex);
  clear_line(log);
  std::fputs(("dlbench: " + one_line(message) + "\n").c_str(), stderr);
}

std::string one_line(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr unsigned char kDelete = 0x7f;
  std::string line;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (code >= ' ' && code != kDelete) {
      line += character;
    } else if (character == '\n') {
      line += "\\n";
    } else if (character == '\t') {
      line += "\\t";
    } else {
      line += "\\x";
      line += kDigits[code / kDigits.size()];
      line += kDigits[code % kDigits.size()];
    }
  }
  return line;
}

std::string lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += one_line(text.substr(0, end));
    if (end == text.size()) {
      break;
    }
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

void progress(std::string_view text) {
  constexpr std::size_t kWidth = 100;
  State& log = state();
  const std::lock_guard lock(log.mutex);
  const Level least = log.terminal ? Level::kNormal : Level::kVerbose;
  if (log.silent || log.level < least) {
    return;
  }
  if (text.empty()) {
    clear_line(log);
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::milliseconds pause(log.terminal ? 100 : 10'000);
  if (now - log.last_progress < pause) {
    return;
  }
  log.last_progress = now;
  clear_line(log);
  const std::string line = one_line(text).substr(0, kWidth);
  std::fputs((log.terminal ? fitted(line) : line + "\n").c_str(), stderr);
  std::fflush(stderr);
  log.line_shown = log.terminal;
}

}  // namespace dlbench::core::log
