// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/block_ranges.h"

#include "engine/core/check.h"

#include <gtest/gtest.h>

#include <optional>

namespace dlbench::core {
namespace {

TEST(BlockRanges, AreAlignedAndEndWithTheBlock) {
  BlockRanges block(100, 16);
  EXPECT_EQ(block.take(17), 0U);
  EXPECT_EQ(block.take(1), 32U);
  EXPECT_EQ(block.take(53), std::nullopt) << "from 48 on there are 52";
  EXPECT_EQ(block.take(52), 48U);
  EXPECT_EQ(block.take(1), std::nullopt) << "112 is behind the block";
}

TEST(BlockRanges, GapsAreTakenAgainFirst) {
  BlockRanges block(64, 16);
  for (const std::size_t offset : {0U, 16U, 32U, 48U}) {
    EXPECT_EQ(block.take(16), offset);
  }
  block.give_back(16);
  block.give_back(48);
  EXPECT_EQ(block.take(17), std::nullopt) << "two gaps of 16";
  EXPECT_EQ(block.take(10), 16U);
  block.give_back(0);
  block.give_back(16);
  EXPECT_EQ(block.take(32), 0U) << "neighbouring gaps are one";
  EXPECT_EQ(block.take(16), 48U);
}

TEST(BlockRanges, OnlyWhatWasTakenIsGivenBack) {
  BlockRanges block(64, 16);
  EXPECT_EQ(block.take(20), 0U);
  EXPECT_THROW(block.give_back(16), CheckFailure);
  block.give_back(0);
  EXPECT_THROW(block.give_back(0), CheckFailure);
}

}  // namespace
}  // namespace dlbench::core
