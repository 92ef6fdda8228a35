// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/fnv1a.h"

#include <gtest/gtest.h>

namespace dlbench::core {
namespace {

// From the test vectors that the authors of the hash publish.
TEST(Fnv1a, GivesThePublishedValues) {
  EXPECT_EQ(fnv1a(""), 0xCBF29CE484222325U);
  EXPECT_EQ(fnv1a("a"), 0xAF63DC4C8601EC8CU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171F73967E8U);
}

TEST(Fnv1a, AddsAWordByItsLowestByteFirst) {
  Fnv1a words;
  words.add(std::uint64_t{0x0807060504030201U});
  Fnv1a bytes;
  for (std::uint8_t byte = 1; byte <= 8; ++byte) {
    bytes.add(byte);
  }
  EXPECT_EQ(words.value(), bytes.value());
}

}  // namespace
}  // namespace dlbench::core
