// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/value.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace dlbench::reports {
namespace {

TEST(Value, IsFoundByKeyAndType) {
  const ValueMap values{{"calls", 3}, {"share", 0.5}, {"name", "gemm"}, {"none", Value()}};
  ASSERT_NE(held<std::int64_t>(values, "calls"), nullptr);
  EXPECT_EQ(*held<std::int64_t>(values, "calls"), 3);
  EXPECT_EQ(held<double>(values, "calls"), nullptr) << "of another type";
  EXPECT_EQ(held<double>(values, "none"), nullptr);
  EXPECT_EQ(held<double>(values, "absent"), nullptr);
}

TEST(Value, IsANumberWhereItIsAnIntegerOrFinite) {
  const ValueMap values{{"calls", 3},
                        {"share", 0.5},
                        {"endless", std::numeric_limits<double>::infinity()},
                        {"name", "3"}};
  EXPECT_EQ(number_in(values, "calls"), 3.0);
  EXPECT_EQ(number_in(values, "share"), 0.5);
  for (const char* key : {"endless", "name", "absent"}) {
    EXPECT_EQ(number_in(values, key), std::nullopt) << key;
  }
}

TEST(Value, IsATextOrAnEmptyOne) {
  const ValueMap values{{"name", "gemm"}, {"calls", 3}};
  EXPECT_EQ(text_in(values, "name"), "gemm");
  EXPECT_EQ(text_in(values, "calls"), "");
  EXPECT_EQ(text_in(values, "absent"), "");
}

TEST(Value, ReadsAsAnOptionIsGiven) {
  EXPECT_EQ(text_of(Value()), "none");
  EXPECT_EQ(text_of(true), "true");
  EXPECT_EQ(text_of(64), "64");
  EXPECT_EQ(text_of(0.5), "0.5");
  EXPECT_EQ(text_of(ValueList{"io", "full"}), "io,full");
  EXPECT_EQ(text_of(ValueMap{{"b", 2}, {"a", 1}}), "a=1,b=2");
}

}  // namespace
}  // namespace dlbench::reports
