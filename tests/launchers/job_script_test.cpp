// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "launchers/job_script.h"

#include <gmock/gmock.h>

namespace dlbench::launchers {
namespace {

TEST(ShellQuote, LeavesPlainWordsAlone) {
  EXPECT_EQ(shell_quote("--batch-size=4"), "--batch-size=4");
  EXPECT_EQ(shell_quote("/data/set_1:ro,rw@x%j"), "/data/set_1:ro,rw@x%j");
}

TEST(ShellQuote, KeepsWhatAShellWouldTouch) {
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_quote("$HOME `x` \"y\" \\ ~ *\n!"), "'$HOME `x` \"y\" \\ ~ *\n!'");
}

TEST(ShellWords, QuotesEachWord) { EXPECT_EQ(shell_words({"a", "b c", ""}), "a 'b c' ''"); }

TEST(ClockText, CountsDaysAsHours) {
  EXPECT_EQ(clock_text(90), "00:01:30");
  EXPECT_EQ(clock_text(36 * 3600), "36:00:00");
}

}  // namespace
}  // namespace dlbench::launchers
