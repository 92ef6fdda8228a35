// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::core::log {
namespace {

TEST(Log, OneLineWritesControlCharactersAsC) {
  EXPECT_EQ(one_line("no file 'a b'"), "no file 'a b'");
  EXPECT_EQ(one_line("two\nlines\tand\r"), "two\\nlines\\tand\\x0d");
  EXPECT_EQ(one_line("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(one_line(std::string_view("\0", 1)), "\\x00");
}

TEST(Log, OneLineLeavesOtherLettersAlone) {
  EXPECT_EQ(one_line("Prüfung 検査"), "Prüfung 検査");
  EXPECT_EQ(one_line(""), "");
}

TEST(Log, LinesKeepsWhereLinesEnd) {
  EXPECT_EQ(lines("a\x1b[2Jb\n\n  c\r\n"), "a\\x1b[2Jb\n\n  c\\x0d\n");
  EXPECT_EQ(lines("a\nb"), "a\nb");
  EXPECT_EQ(lines(""), "");
}

TEST(Log, WarnsOnceOfOneThing) {
  ::testing::internal::CaptureStderr();
  warn_once("of one thing");
  warn_once("of another thing");
  warn_once("of one thing");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: of one thing\nwarning: of another thing\n");
}

TEST(LogDeathTest, KeepsTheWarningsThatSilenceHides) {
  // In a process of its own: silence lasts.
  const auto hidden_alone = [] {
    warn("before");
    warn_once("before");
    const bool said = warnings() == std::vector<std::string>{"before"};
    silence();
    warn("two\nlines");
    warn_once("once");
    warn_once("once");
    info("no warning");
    const std::vector<std::string> hidden{"two\\nlines", "once"};
    const bool kept = warnings() == hidden;
    for (int index = 0; index < 40; ++index) {
      warn("one of many: " + std::to_string(index));
    }
    std::exit(said && kept && warnings().size() == 32 ? 0 : 1);
  };
  EXPECT_EXIT(hidden_alone(), ::testing::ExitedWithCode(0), "^warning: before\nwarning: before\n$");
}

TEST(Log, ProgressIsInALogWhereThatIsAskedFor) {
  if (isatty(STDERR_FILENO) == 1) {
    GTEST_SKIP() << "stderr is a terminal";
  }
  const auto said = [](Level level) {
    set_level(level);
    ::testing::internal::CaptureStderr();
    progress("trial full, warm-up");
    progress("trial full, repetition 1");
    progress("");
    set_level(Level::kNormal);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(Level::kNormal), "");
  EXPECT_EQ(said(Level::kVerbose), "trial full, warm-up\n") << "the next one in ten seconds";
}

/// Whether the progress line of `text` is `shown` on a terminal of so many columns (0: it does not
/// tell), for a process that has logged nothing before.
bool is_shown_as(std::string_view text, std::string_view shown, unsigned short columns = 0) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) {
    return false;
  }
  const int other_end = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  winsize size{};
  size.ws_col = columns;
  if (::ioctl(other_end, TIOCSWINSZ, &size) != 0) {
    return false;
  }
  ::dup2(other_end, STDERR_FILENO);
  progress(text);
  std::array<char, 256> seen{};
  const ssize_t bytes = ::read(terminal, seen.data(), seen.size());
  return bytes >= 0 && std::string_view(seen.data(), static_cast<std::size_t>(bytes)) == shown;
}

TEST(LogDeathTest, TheProgressLineNeitherSplitsNorSteersATerminal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, from the start
  EXPECT_EXIT(::_exit(is_shown_as("reading a\nb\x1b[2J", "reading a\\nb\\x1b[2J") ? 0 : 1),
              ::testing::ExitedWithCode(0),
              "");
}

TEST(LogDeathTest, TheProgressLineStaysOnOneLineOfANarrowTerminal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  struct Case {
    const char* text;
    const char* shown;
    unsigned short columns;
  };
  for (const Case& entry : {Case{"trial full, warm-up", "trial ful", 10},
                            Case{"trial full", "trial ful", 10},
                            Case{"trial ful", "trial ful", 10},
                            Case{"trial full", "trial full", 11},
                            Case{"trial f\u00fcll", "trial f", 9},
                            Case{"trial full, warm-up", "trial full, warm-up", 0}}) {
    EXPECT_EXIT(::_exit(is_shown_as(entry.text, entry.shown, entry.columns) ? 0 : 1),
                ::testing::ExitedWithCode(0),
                "")
        << entry.text << " on " << entry.columns;
  }
}

}  // namespace
}  // namespace dlbench::core::log
