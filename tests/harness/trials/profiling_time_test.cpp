// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/profiling_time.h"

#include <gtest/gtest.h>

namespace dlbench::harness {
namespace {

TEST(ProfilingTime, AThirdOfABudgetAtMost) {
  EXPECT_EQ(profiling_share_s(60.0, 0), 0.0);
  EXPECT_EQ(profiling_share_s(60.0, 12), 12.0) << "half a second to settle, and as long";
  EXPECT_EQ(profiling_share_s(15.0, 12), 5.0);
}

TEST(ProfilingTime, RepetitionsFitIntoWhatIsLeft) {
  const auto fitted = [](double left_s, std::int64_t repetitions) {
    ProfilingRequest request{.seconds = 0.5, .max_seconds = 3.0};
    fit_profiling(left_s, repetitions, request);
    return request;
  };
  EXPECT_EQ(fitted(100.0, 12).seconds, 0.5);
  EXPECT_EQ(fitted(100.0, 12).max_seconds, 3.0);
  EXPECT_EQ(fitted(24.0, 12).seconds, 0.5);
  EXPECT_EQ(fitted(24.0, 12).max_seconds, 1.5);
  EXPECT_EQ(fitted(6.0, 12).seconds, 0.25);
  EXPECT_EQ(fitted(6.0, 12).max_seconds, 0.25);
  EXPECT_EQ(fitted(-5.0, 12).seconds, 0.1) << "there is no report without them";
  EXPECT_EQ(fitted(100.0, 0).seconds, 0.5);
}

}  // namespace
}  // namespace dlbench::harness
