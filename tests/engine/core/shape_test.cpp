// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/shape.h"

#include "engine/core/check.h"
#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace dlbench::core {
namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 20U;

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ((Shape{4, 3, 2}).elements(), 24);
  EXPECT_EQ((Shape{kMany, kMany, kMany / 2}).elements(), kMany * kMany * (kMany / 2));
}

TEST(Shape, RefusesMoreElementsThanCanBeCounted) {
  EXPECT_THROW((void)(Shape{kMany, kMany, kMany}).elements(), Error);
  EXPECT_THROW((void)(Shape{kMany, 16 * kMany, kMany}).elements(), Error) << "2^64 wraps to 0";
  EXPECT_EQ((Shape{kMany, 16 * kMany, kMany, 0}).elements(), 0);
}

TEST(Shape, HasNoNegativeExtent) {
  EXPECT_THROW((void)(Shape{2, -1}), CheckFailure);
  EXPECT_THROW((void)(Shape{2, 3}).with(1, -1), CheckFailure);
  EXPECT_EQ((Shape{2, 3}).with(1, 0), (Shape{2, 0}));
}

}  // namespace
}  // namespace dlbench::core
