// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/key_numbers.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace dlbench::core {
namespace {

constexpr std::array<std::string_view, 2> kKeys{"cups", "spoons"};
constexpr KeyNumbersSyntax kSyntax{"--tea", "cups=NUMBER[,spoons=NUMBER]", kKeys};

TEST(KeyNumbers, FindsNumbersByKey) {
  const KeyNumbers numbers = parse_key_numbers("spoons=2.5,cups=1e9", kSyntax);
  EXPECT_EQ(numbers.value_or("cups", 0.0), 1e9);
  EXPECT_EQ(numbers.value_or("spoons", 0.0), 2.5);
  EXPECT_FALSE(parse_key_numbers("cups=1", kSyntax).contains("spoons"));
}

TEST(KeyNumbers, ZeroIsANumberWhereTheSyntaxSaysSo) {
  static constexpr std::array<std::string_view, 1> kFromZero{"spoons"};
  constexpr KeyNumbersSyntax kTea{"--tea", "cups=NUMBER", kKeys, kFromZero};
  EXPECT_EQ(parse_key_numbers("spoons=0", kTea).value_or("spoons", 1.0), 0.0);
  EXPECT_THROW((void)parse_key_numbers("cups=0", kTea), Error);
  EXPECT_THROW((void)parse_key_numbers("spoons=-1", kTea), Error);
}

TEST(KeyNumbers, RefusalsNameWhatWasSeenAndWanted) {
  const std::array<std::array<std::string, 2>, 12> refusals{{
      {"", "unknown item ''"},
      {"cups", "unknown item 'cups'"},
      {"mugs=1", "unknown item 'mugs=1'"},
      {"cups=1,", "ends with a comma"},
      {"cups=1,,spoons=1", "unknown item ''"},
      {"cups=1,cups=2", "'cups' is given twice"},
      {"cups=", "'cups=' is not a number in (0, 1e9]"},
      {"cups=1x", "'cups=1x' is not a number in (0, 1e9]"},
      {"cups=0", "'cups=0' is not a number in (0, 1e9]"},
      {"cups=-1", "'cups=-1' is not a number in (0, 1e9]"},
      {"cups=nan", "'cups=nan' is not a number in (0, 1e9]"},
      {"cups=1.1e9", "'cups=1.1e9' is not a number in (0, 1e9]"},
  }};
  for (const auto& [text, reason] : refusals) {
    try {
      (void)parse_key_numbers(text, kSyntax);
      ADD_FAILURE() << '\'' << text << "' was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_EQ(std::string(error.what()),
                "--tea '" + text + "': " + reason + "; wanted cups=NUMBER[,spoons=NUMBER]");
    }
  }
}

}  // namespace
}  // namespace dlbench::core
