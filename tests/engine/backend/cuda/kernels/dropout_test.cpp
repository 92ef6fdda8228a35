// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The masks themselves are compared with those of ref by the conformance cases.
#include "engine/backend/cuda/kernels/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

TEST(DropoutThreshold, DecidesAsTheUniformNumberDoes) {
  std::vector<float> rates{0.0F,
                           std::numeric_limits<float>::denorm_min(),
                           0.1F,
                           0.2F,
                           0.3F,
                           1.0F / 3.0F,
                           std::nextafter(1.0F, 0.0F)};
  // Multiples of 2^-24, where the decision changes, and their neighbours.
  for (const float multiple : {0x1p-24F, 3 * 0x1p-24F, 0x1p-8F, 0.25F, 0.5F, 0.75F}) {
    for (const float toward : {0.0F, multiple, 1.0F}) {
      rates.push_back(std::nextafter(multiple, toward));
    }
  }
  for (const float rate : rates) {
    const std::uint32_t threshold = dropout_threshold(rate);
    const auto expect_same = [&](std::uint32_t bits) {
      ASSERT_EQ(bits < threshold, core::uniform_from_bits(bits) < rate) << bits << " at " << rate;
    };
    for (std::uint32_t distance = 0; distance < 1024; ++distance) {
      expect_same(threshold + distance);
      expect_same(threshold - distance);  // below 0 it begins at the other end
    }
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32U; bits += 99991) {
      expect_same(static_cast<std::uint32_t>(bits));
    }
  }
}

TEST(DropoutThreshold, OfARateThatLeavesNothingIsRefused) {
  EXPECT_THROW((void)dropout_threshold(1.0F), core::CheckFailure);
  EXPECT_THROW((void)dropout_threshold(-0.5F), core::CheckFailure);
  EXPECT_THROW((void)dropout_threshold(NAN), core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::backend::cuda
