// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json_defect.h"

#include <gtest/gtest.h>

#include <string>

namespace dlbench::core {
namespace {

constexpr int kDepth = 3;

bool is_good(std::string_view text) { return !json_defect(text, kDepth).has_value(); }

TEST(JsonDefect, AKeyThatAnObjectHasTwice) {
  EXPECT_EQ(json_defect(R"({"a": 1, "b": {"c": 1, "c": 2}})", kDepth)->twice_key, "c");
  EXPECT_EQ(json_defect(R"([{"a": {"a": 1}, "b": 2, "a": 3}])", kDepth)->twice_key, "a");
  EXPECT_TRUE(is_good(R"({"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]})"));
}

TEST(JsonDefect, NestingBeyondTheLimit) {
  EXPECT_TRUE(is_good("[[[1]]]"));
  EXPECT_TRUE(json_defect("[[[[1]]]]", kDepth)->too_deep);
  EXPECT_TRUE(json_defect(std::string(1000000, '['), kDepth)->too_deep);
  EXPECT_TRUE(json_defect(R"({"a": {"b": {"c": []}}})", kDepth)->too_deep);
}

TEST(JsonDefect, WhatIsNoJsonIsTheParsersToSay) {
  for (const char* text : {"", "{", "[1,", "nul", R"({"a": 1)", "1 2"}) {
    EXPECT_TRUE(is_good(text)) << text;
  }
  EXPECT_EQ(json_defect(R"({"a": 1, "a": 2, )", kDepth)->twice_key, "a");
}

}  // namespace
}  // namespace dlbench::core
