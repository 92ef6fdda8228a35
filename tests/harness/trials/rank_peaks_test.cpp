// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/rank_peaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::HasSubstr;

TEST(RankPeaks, WithoutThatOfTheMemoryTheyHaveAReason) {
  std::vector<reports::PeakRecord> peaks = {
      {.device = "cpu", .precision = "fp32", .flop_per_s = 1e11, .source = "measured"},
      {.device = "cpu", .precision = "bf16", .flop_per_s = 2e11, .source = "measured"}};
  const auto lacking = lacking_memory_peak(peaks);
  ASSERT_TRUE(lacking.has_value());
  EXPECT_THAT(lacking->what, HasSubstr("bounds of operators"));
  EXPECT_THAT(lacking->reason, HasSubstr("every thread kept its processor"));
  peaks[1].memory_bytes_per_s = 1e10;
  EXPECT_FALSE(lacking_memory_peak(peaks).has_value());
  EXPECT_FALSE(lacking_memory_peak({}).has_value()) << "mfu_reason says why there is none";
}

}  // namespace
}  // namespace dlbench::harness
