// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace dlbench::core {
namespace {

TEST(Environment, IsThatOfTheProcess) {
  ASSERT_EQ(setenv("DLBENCH_TEST_OF_ENVIRONMENT", "a=b", 1), 0);
  EXPECT_THAT(environment(),
              ::testing::Contains(::testing::Pair("DLBENCH_TEST_OF_ENVIRONMENT", "a=b")));
  EXPECT_EQ(environment_variable("DLBENCH_TEST_OF_ENVIRONMENT"), "a=b");
  unsetenv("DLBENCH_TEST_OF_ENVIRONMENT");
  EXPECT_FALSE(environment_variable("DLBENCH_TEST_OF_ENVIRONMENT").has_value());
}

}  // namespace
}  // namespace dlbench::core
