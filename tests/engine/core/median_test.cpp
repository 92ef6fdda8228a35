// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/median.h"

#include <gtest/gtest.h>

namespace dlbench::core {
namespace {

TEST(Median, IsTheMiddleOneInOrderAndTheUpperOfTwo) {
  EXPECT_EQ(median({7.0}), 7.0);
  EXPECT_EQ(median({9.0, 1.0, 5.0}), 5.0);
  EXPECT_EQ(median({9.0, 1.0}), 9.0);
  EXPECT_EQ(median({9.0, 1.0, 5.0, 3.0}), 5.0);
}

}  // namespace
}  // namespace dlbench::core
