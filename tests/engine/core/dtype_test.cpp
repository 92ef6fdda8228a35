// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/dtype.h"

#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dlbench::core {
namespace {

TEST(DType, NamesRoundTrip) {
  for (const DType dtype : {DType::kU8,
                            DType::kBool,
                            DType::kU16,
                            DType::kI32,
                            DType::kI64,
                            DType::kF16,
                            DType::kBF16,
                            DType::kF32,
                            DType::kF64}) {
    EXPECT_EQ(dtype_from_name(name(dtype)), dtype);
  }
  EXPECT_THROW((void)dtype_from_name("fp32"), Error);
}

TEST(DType, EveryHalfSurvivesTheRoundTripThroughFloat) {
  for (std::uint32_t bits = 0; bits <= 0xffffU; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = f16_to_f32(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(value))));
    } else {
      EXPECT_EQ(f32_to_f16(value), half) << bits;
    }
  }
}

TEST(DType, HalfRoundsToNearestEvenAndOverflowsToInfinity) {
  EXPECT_EQ(f32_to_f16(1.0F + 0x1p-11F), 0x3c00);    // tie, even below
  EXPECT_EQ(f32_to_f16(1.0F + 0x1.8p-10F), 0x3c02);  // tie, even above
  EXPECT_EQ(f32_to_f16(65519.0F), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0F), 0x7c00);
  EXPECT_EQ(f32_to_f16(-0x1p-24F), 0x8001);
}

TEST(DType, BFloat16RoundsToNearestEvenAndKeepsNaN) {
  EXPECT_EQ(f32_to_bf16(1.0F + 0x1p-8F), 0x3f80);    // tie, even below
  EXPECT_EQ(f32_to_bf16(1.0F + 0x1.8p-7F), 0x3f82);  // tie, even above
  EXPECT_EQ(bf16_to_f32(f32_to_bf16(-2.5F)), -2.5F);
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace
}  // namespace dlbench::core
