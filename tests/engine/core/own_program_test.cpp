// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/own_program.h"

#include <gtest/gtest.h>

namespace dlbench::core {
namespace {

TEST(OwnProgram, IsTheFileOfThisTest) {
  const std::filesystem::path program = own_program();
  EXPECT_TRUE(program.is_absolute());
  EXPECT_EQ(program.filename(), "engine_core_test");
  EXPECT_TRUE(std::filesystem::is_regular_file(program));
}

}  // namespace
}  // namespace dlbench::core
