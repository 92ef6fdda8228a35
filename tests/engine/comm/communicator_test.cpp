// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/communicator.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

namespace dlbench::comm {
namespace {

TEST(CommunicationTotals, EachFigureIsAdded) {
  const CommunicationTotals one{.collectives = 1,
                                .bytes = 2,
                                .waiting_s = 3.0,
                                .transfer_s = 4.0,
                                .exposed_s = 5.0,
                                .exposed_transfer_s = 6.0,
                                .all_reduce_s = 7.0,
                                .exposed_all_reduce_s = 8.0};
  CommunicationTotals sum = one;
  sum += one;
  EXPECT_EQ(sum.collectives, 2);
  EXPECT_EQ(sum.bytes, 4);
  EXPECT_EQ(sum.waiting_s, 6.0);
  EXPECT_EQ(sum.transfer_s, 8.0);
  EXPECT_EQ(sum.exposed_s, 10.0);
  EXPECT_EQ(sum.exposed_transfer_s, 12.0);
  EXPECT_EQ(sum.all_reduce_s, 14.0);
  EXPECT_EQ(sum.exposed_all_reduce_s, 16.0);
}

TEST(ShareBegin, SharesAreEqualUpToOneElement) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{5}, std::size_t{1'000'003}}) {
    for (int size = 1; size < 9; ++size) {
      EXPECT_EQ(share_begin(count, 0, size), 0U);
      EXPECT_EQ(share_begin(count, size, size), count);
      for (int rank = 0; rank < size; ++rank) {
        const std::size_t share =
            share_begin(count, rank + 1, size) - share_begin(count, rank, size);
        EXPECT_GE(share, count / static_cast<std::size_t>(size)) << count << " on " << size;
        EXPECT_LE(share, count / static_cast<std::size_t>(size) + 1) << count << " on " << size;
      }
    }
  }
  constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(share_begin(kMax, 4, 4), kMax) << "the product would overflow";
}

}  // namespace
}  // namespace dlbench::comm
