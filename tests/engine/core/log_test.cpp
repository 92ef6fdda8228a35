// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/log.h"

#include <gtest/gtest.h>

#include <string_view>

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

}  // namespace
}  // namespace dlbench::core::log
