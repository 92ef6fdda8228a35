// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/reduce.h"

#include "engine/comm/check_pattern.h"
#include "engine/core/check.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace dlbench::comm {
namespace {

using core::DType;

template <typename T>
std::byte* bytes(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

TEST(Reduce, SumsEveryTypeExactlyAtOddCounts) {
  for (const DType dtype :
       {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI32, DType::kI64}) {
    for (const std::size_t count : {1U, 7U, 8U, 2047U, 2048U, 2049U, 5003U}) {
      constexpr int kRanks = 5;
      std::vector<std::vector<std::byte>> data(
          kRanks, std::vector<std::byte>(count * core::size_of(dtype) + 1));
      std::vector<const std::byte*> sources;
      std::vector<std::byte*> targets;
      for (int rank = 0; rank < kRanks; ++rank) {
        std::byte* memory = data[static_cast<std::size_t>(rank)].data();
        fill_pattern({.data = memory, .dtype = dtype, .end = count}, rank);
        sources.push_back(memory);
        targets.push_back(memory);
      }
      reduce_elements(sources, targets, count, dtype, ReduceOp::kSum);
      for (std::vector<std::byte>& each : data) {
        EXPECT_EQ(count_wrong_sums({.data = each.data(), .dtype = dtype, .end = count}, kRanks), 0U)
            << core::name(dtype) << ' ' << count;
        EXPECT_EQ(each.back(), std::byte{0}) << "written behind the end";
      }
    }
  }
}

TEST(Reduce, AddsSixteenBitFloatsInF32AndRoundsOnce) {
  // 256 + 8 x 0.5: bf16 next to 256 has steps of 2, so that adding one by one would lose every 0.5.
  std::vector<std::vector<std::uint16_t>> values;
  values.push_back({core::f32_to_bf16(256.0F)});
  for (int i = 0; i < 8; ++i) {
    values.push_back({core::f32_to_bf16(0.5F)});
  }
  std::vector<const std::byte*> sources;
  for (auto& each : values) {
    sources.push_back(bytes(each));
  }
  std::uint16_t sum = 0;
  auto* target = reinterpret_cast<std::byte*>(&sum);
  reduce_elements(sources, {&target, 1}, 1, DType::kBF16, ReduceOp::kSum);
  EXPECT_EQ(core::bf16_to_f32(sum), 260.0F);
}

TEST(Reduce, HalfConversionsAgreeWithTheScalarOnes) {
  // Every f16 passes the vector path (blocks of eight) and comes back as the same bits.
  std::vector<std::uint16_t> all(65536);
  std::vector<std::uint16_t> zeros(all.size(), 0x8000U);  // -0 changes nothing, not even -0
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<std::uint16_t>(i);
  }
  std::vector<std::uint16_t> result(all.size());
  const std::array<const std::byte*, 2> sources{bytes(all), bytes(zeros)};
  std::byte* target = bytes(result);
  reduce_elements(sources, {&target, 1}, all.size(), DType::kF16, ReduceOp::kSum);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::isnan(core::f16_to_f32(all[i]))) {
      ASSERT_TRUE(std::isnan(core::f16_to_f32(result[i]))) << i;
    } else {
      ASSERT_EQ(result[i], all[i]);
    }
  }
}

TEST(Reduce, BFloatConversionsAgreeWithTheScalarOnes) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<std::uint16_t>(i);
  }
  // Sums that are exact, ties to either side, and those that overflow or are none.
  for (const float other : {-0.0F, 0.00390625F, 1.0F, -3.0F, 3.3e38F, 1e-40F}) {
    std::vector<std::uint16_t> others(all.size(), core::f32_to_bf16(other));
    std::vector<std::uint16_t> result(all.size());
    const std::array<const std::byte*, 2> sources{bytes(all), bytes(others)};
    std::byte* target = bytes(result);
    reduce_elements(sources, {&target, 1}, all.size(), DType::kBF16, ReduceOp::kSum);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const float sum = core::bf16_to_f32(all[i]) + core::bf16_to_f32(others[i]);
      if (std::isnan(sum)) {
        ASSERT_TRUE(std::isnan(core::bf16_to_f32(result[i]))) << i;
      } else {
        ASSERT_EQ(result[i], core::f32_to_bf16(sum)) << i << " + " << other;
      }
    }
  }
}

TEST(Reduce, MaximumPropagatesNaNFromEitherSide) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> first{1.0F, nan, 3.0F, -2.0F};
  std::vector<float> second{2.0F, 5.0F, nan, -3.0F};
  const std::array<const std::byte*, 2> sources{bytes(first), bytes(second)};
  std::byte* target = bytes(first);
  reduce_elements(sources, {&target, 1}, first.size(), DType::kF32, ReduceOp::kMax);
  EXPECT_EQ(first[0], 2.0F);
  EXPECT_TRUE(std::isnan(first[1]));
  EXPECT_TRUE(std::isnan(first[2]));
  EXPECT_EQ(first[3], -2.0F);
}

TEST(Reduce, RefusesTypesItDoesNotKnow) {
  std::vector<std::uint8_t> values(4);
  const std::array<const std::byte*, 1> sources{bytes(values)};
  std::byte* target = bytes(values);
  EXPECT_THROW(reduce_elements(sources, {&target, 1}, 4, DType::kU8, ReduceOp::kSum),
               core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::comm
