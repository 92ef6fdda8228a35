// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/rng.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace dlbench::core {
namespace {

TEST(Philox, MatchesTheKnownAnswersOfRandom123) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, DrawsTheSameWithTheKeysOfAllRoundsMadeBefore) {
  const PhiloxKey key{0xa4093822, 0x299f31d0};
  const PhiloxCounter counter{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
  EXPECT_EQ(philox4x32(counter, PhiloxKeys(key)), philox4x32(counter, key));
}

TEST(RandomStream, BelowIsUniform) {
  RandomStream stream(7, 1);
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) {
    ++counts.at(stream.below(6));
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10000, 400);  // 4.4 standard deviations of a binomial
  }
}

// A bound that does not divide 2^32 by far: without rejection every third value is twice as likely.
TEST(RandomStream, BelowALargeBoundIsUniformToo) {
  constexpr std::uint32_t kBound = 3U << 30U;
  RandomStream stream(7, 1);
  std::vector<int> counts(3);
  for (int i = 0; i < 3000; ++i) {
    ++counts.at(stream.below(kBound) % 3);
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 1000, 120);  // 4.6 standard deviations of a binomial
  }
}

TEST(RandomStream, NormalHasMeanZeroAndUnitVariance) {
  RandomStream stream(7, 2);
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const double value = stream.normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.03);
}

TEST(RandomStream, StreamsDiffer) {
  EXPECT_NE(RandomStream(1, 1).next_u32(), RandomStream(1, 2).next_u32());
  EXPECT_NE(RandomStream(1, 1).next_u32(), RandomStream(2, 1).next_u32());
  constexpr std::uint64_t kUpper = std::uint64_t{1} << 32U;
  EXPECT_NE(RandomStream(1, 1).next_u32(), RandomStream(1, 1 + kUpper).next_u32());
  EXPECT_NE(RandomStream(1, 1).next_u32(), RandomStream(1 + kUpper, 1).next_u32());
}

}  // namespace
}  // namespace dlbench::core
