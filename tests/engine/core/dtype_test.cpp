// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace dlbench::core {
namespace {

TEST(DType, HasItsOwnNameAndSize) {
  const std::map<DType, std::pair<std::string_view, std::size_t>> expected{
      {DType::kU8, {"u8", 1}},
      {DType::kBool, {"bool", 1}},
      {DType::kU16, {"u16", 2}},
      {DType::kI32, {"i32", 4}},
      {DType::kI64, {"i64", 8}},
      {DType::kF16, {"f16", 2}},
      {DType::kBF16, {"bf16", 2}},
      {DType::kF32, {"f32", 4}},
      {DType::kF64, {"f64", 8}}};
  for (const auto& [dtype, is] : expected) {
    EXPECT_EQ(name(dtype), is.first);
    EXPECT_EQ(size_of(dtype), is.second) << is.first;
  }
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

TEST(DType, SixteenBitsAreRoundedOnceFromDoubles) {
  // Above the middle between two results by less than an f32 can say.
  EXPECT_EQ(f64_to_bf16(1.0 + 0x1p-8 + 0x1p-40), 0x3f81);
  EXPECT_EQ(f64_to_bf16(-1.0 - 0x1p-8 - 0x1p-40), 0xbf81);
  EXPECT_EQ(f64_to_f16(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(f64_to_f16(0x1p-25 + 0x1p-60), 0x0001);
  // Below it.
  EXPECT_EQ(f64_to_bf16(1.0 + 0x1.8p-7 - 0x1p-40), 0x3f81);
  EXPECT_EQ(f64_to_f16(1.0 + 0x1.8p-10 - 0x1p-40), 0x3c01);
  // On it: to even.
  EXPECT_EQ(f64_to_bf16(1.0 + 0x1p-8), 0x3f80);
  EXPECT_EQ(f64_to_bf16(1.0 + 0x1.8p-7), 0x3f82);
  EXPECT_EQ(f64_to_f16(0x1p-25), 0x0000);
}

TEST(DType, DoublesOutsideTheRangeOfSixteenBits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(f64_to_bf16(1e300), 0x7f80);
  EXPECT_EQ(f64_to_bf16(-kInfinity), 0xff80);
  EXPECT_EQ(f64_to_bf16(-1e-300), 0x8000);
  EXPECT_EQ(f64_to_f16(65520.0), 0x7c00);
  EXPECT_EQ(f64_to_f16(65520.0 - 0x1p-30), 0x7bff);
  EXPECT_EQ(f64_to_f16(1e-300), 0x0000);
  EXPECT_TRUE(std::isnan(bf16_to_f32(f64_to_bf16(std::numeric_limits<double>::quiet_NaN()))));
  EXPECT_TRUE(std::isnan(f16_to_f32(f64_to_f16(std::numeric_limits<double>::quiet_NaN()))));
}

TEST(DType, WhatSixteenBitsHoldSurvivesTheRoundTripThroughDouble) {
  for (std::uint32_t bits = 0; bits <= 0xffffU; ++bits) {
    const auto word = static_cast<std::uint16_t>(bits);
    const auto half = static_cast<double>(f16_to_f32(word));
    const auto brain = static_cast<double>(bf16_to_f32(word));
    EXPECT_TRUE(std::isnan(half) || f64_to_f16(half) == word) << bits;
    EXPECT_TRUE(std::isnan(brain) || f64_to_bf16(brain) == word) << bits;
  }
}

}  // namespace
}  // namespace dlbench::core
