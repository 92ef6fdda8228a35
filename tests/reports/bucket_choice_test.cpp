// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/bucket_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

BucketCapRecord cap(double mib, double mean_s, double half_s) {
  return {mib,
          1,
          std::nullopt,
          EstimateRecord{mean_s, IntervalRecord{mean_s - half_s, mean_s + half_s}}};
}

TEST(BucketChoice, TheShortestStepIsBestIfAnotherIsSlowerBeyondNoise) {
  const std::vector<BucketCapRecord> caps = {
      cap(1, 0.30, 0.01), cap(5, 0.25, 0.02), cap(25, 0.26, 0.02)};
  EXPECT_EQ(best_measured_cap(caps), 5.0);
  EXPECT_THAT(caps_as_good(caps, 5.0), ElementsAre(25.0));
}

TEST(BucketChoice, NoiseNamesNone) {
  EXPECT_EQ(best_measured_cap(std::vector{cap(1, 0.26, 0.02), cap(5, 0.25, 0.02)}), std::nullopt);
  EXPECT_EQ(best_measured_cap(std::vector{cap(1, 0.26, 0.02)}), std::nullopt);
  EXPECT_EQ(best_measured_cap({}), std::nullopt);
}

// 0.26 to 0.30 s against 0.23 to 0.27 s.
TEST(BucketChoice, OverlappingIntervalsNameNoneEvenIfNeitherHasTheOthersMean) {
  const std::vector<BucketCapRecord> caps = {cap(1, 0.28, 0.02), cap(5, 0.25, 0.02)};
  EXPECT_EQ(best_measured_cap(caps), std::nullopt);
  EXPECT_THAT(caps_as_good(caps, 5.0), ElementsAre(1.0));
}

TEST(BucketChoice, AStepWithoutIntervalDecidesNothing) {
  std::vector<BucketCapRecord> caps = {cap(1, 0.50, 0.01), cap(5, 0.25, 0.02)};
  caps[0].measured_step_time_s->ci95.reset();
  EXPECT_EQ(best_measured_cap(caps), std::nullopt);
  caps[0].measured_step_time_s.reset();
  EXPECT_EQ(best_measured_cap(caps), std::nullopt);
  EXPECT_THAT(caps_as_good(caps, 5.0), IsEmpty());
}

TEST(BucketChoice, EqualModelledStepsNameNone) {
  std::vector<BucketCapRecord> caps = {{1.0, 3, 0.25, std::nullopt}, {5.0, 3, 0.25, std::nullopt}};
  EXPECT_EQ(best_modelled_cap(caps), std::nullopt);
  caps.push_back({25.0, 2, 0.24, std::nullopt});
  EXPECT_EQ(best_modelled_cap(caps), 25.0);
  EXPECT_EQ(best_modelled_cap({}), std::nullopt);
}

TEST(BucketChoice, ModelledStepsThatDifferByLessThanTheModelsErrorNameNone) {
  const std::vector<BucketCapRecord> caps = {{1.0, 3, 0.25, std::nullopt},
                                             {5.0, 2, 0.2495, std::nullopt}};
  EXPECT_EQ(best_modelled_cap(caps), std::nullopt) << "0.2 %";
  EXPECT_EQ(best_modelled_cap(caps, 0.0), 5.0);
}

}  // namespace
}  // namespace dlbench::reports
