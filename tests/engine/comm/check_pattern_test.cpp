// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/check_pattern.h"

#include "engine/comm/reduce.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace dlbench::comm {
namespace {

constexpr std::size_t kElements = 30;  // more than two periods

TEST(CheckPattern, EveryWrongElementCounts) {
  for (const core::DType dtype : reducible_dtypes()) {
    const std::size_t width = core::size_of(dtype);
    std::vector<std::byte> data(kElements * width);
    const PatternRange range{.data = data.data(), .dtype = dtype, .end = kElements};
    fill_pattern(range, 3);
    EXPECT_EQ(count_wrong_copies(range, 3), 0U) << core::name(dtype);
    EXPECT_EQ(count_wrong_copies(range, 4), kElements) << "of another rank";
    data.front() ^= std::byte{1};
    data[(kElements - 1) * width] ^= std::byte{1};
    EXPECT_EQ(count_wrong_copies(range, 3), 2U) << core::name(dtype);
  }
}

TEST(CheckPattern, ARangeIsOfTheWhole) {
  std::vector<float> data(kElements, 99.0F);
  auto* const bytes = reinterpret_cast<std::byte*>(data.data());
  fill_pattern({.data = bytes, .begin = 5, .end = 20}, 1);
  EXPECT_EQ(count_wrong_copies({.data = bytes, .begin = 5, .end = 20}, 1), 0U);
  EXPECT_EQ(count_wrong_copies({.data = bytes, .end = kElements}, 1), 15U);
  EXPECT_EQ(data[4], 99.0F);
  EXPECT_EQ(data[5], static_cast<float>(pattern_value(5, 1)));
  EXPECT_EQ(data[20], 99.0F);
}

TEST(CheckPattern, SumsAreThoseOfAllRanks) {
  std::array<std::vector<float>, 3> values;
  std::array<const std::byte*, 3> sources{};
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    values[rank].resize(kElements);
    auto* const bytes = reinterpret_cast<std::byte*>(values[rank].data());
    fill_pattern({.data = bytes, .end = kElements}, static_cast<int>(rank));
    sources[rank] = bytes;
  }
  std::vector<float> sums(kElements);
  auto* const target = reinterpret_cast<std::byte*>(sums.data());
  reduce_elements(sources, {&target, 1}, kElements, core::DType::kF32, ReduceOp::kSum);
  const PatternRange range{.data = target, .end = kElements};
  EXPECT_EQ(count_wrong_sums(range, 3), 0U);
  EXPECT_GT(count_wrong_sums(range, 2), kElements / 2);
  sums.back() += 1.0F;
  EXPECT_EQ(count_wrong_sums(range, 3), 1U);
}

}  // namespace
}  // namespace dlbench::comm
