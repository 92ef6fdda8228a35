// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/collective_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace dlbench::reports {
namespace {

using ::testing::ElementsAre;

TEST(CollectiveSizes, AscendByTheFactorOnceEach) {
  EXPECT_THAT(element_counts({1024.0, 16384.0, 4.0}, 4), ElementsAre(256, 1024, 4096));
  EXPECT_THAT(element_counts({1.0, 16.0, 2.0}, 4), ElementsAre(1, 2, 4)) << "1, 2, 4 bytes: one";
  EXPECT_THAT(element_counts({100.0, 100.0, 2.0}, 4), ElementsAre(25));
}

TEST(CollectiveSizes, SharesOfReduceScatterAndAllGatherAreEqual) {
  const std::vector<std::size_t> counts{1, 2, 4, 8, 16};
  for (const char* op : {"reduce_scatter", "all_gather"}) {
    EXPECT_THAT(counts_of(op, counts, 3), ElementsAre(3, 6, 15)) << "3 of 1, 2 and 4";
    EXPECT_EQ(counts_of(op, counts, 1), counts);
  }
  EXPECT_EQ(counts_of("all_reduce", counts, 3), counts);
  EXPECT_EQ(counts_of("broadcast", counts, 3), counts);
}

}  // namespace
}  // namespace dlbench::reports
