// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/split_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::core {
namespace {

TEST(SplitList, EmptyPartsArePartsAndAnEmptyTextHasNone) {
  EXPECT_THAT(split_list("io,synthetic,full"), ::testing::ElementsAre("io", "synthetic", "full"));
  EXPECT_THAT(split_list("io,,full"), ::testing::ElementsAre("io", "", "full"));
  EXPECT_THAT(split_list(",io,"), ::testing::ElementsAre("", "io", ""));
  EXPECT_THAT(split_list(","), ::testing::ElementsAre("", ""));
  EXPECT_TRUE(split_list("").empty());
}

}  // namespace
}  // namespace dlbench::core
