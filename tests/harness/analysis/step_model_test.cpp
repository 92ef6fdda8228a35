// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/step_model.h"

#include "engine/core/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dlbench::harness {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// Four tensors; the last registered is ready first.
StepTimeline timeline() {
  StepTimeline result;
  result.gradients = {{30 * kMiB, 0.8}, {10 * kMiB, 0.7}, {20 * kMiB, 0.6}, {2 * kMiB, 0.5}};
  result.backward_end_s = 0.8;
  result.step_s = 1.0;
  return result;
}

TEST(StepModel, BucketsCloseAtTheirCapAndWaitForTheirLastGradient) {
  const auto buckets = bucket_schedule(timeline(), {});
  ASSERT_EQ(buckets.size(), 3U);  // 2 >= 1, then 20 + 10 >= 25, then 30
  EXPECT_EQ(buckets[0].bytes, 2.0 * kMiB);
  EXPECT_EQ(buckets[0].ready_s, 0.5);
  EXPECT_EQ(buckets[1].bytes, 30.0 * kMiB);
  EXPECT_EQ(buckets[1].ready_s, 0.7);
  EXPECT_EQ(buckets[2].ready_s, 0.8);
}

TEST(StepModel, WithoutOverlapAllBucketsWaitForTheBackwardPass) {
  ReductionModel options;
  options.overlap = false;
  options.bytes_per_gradient_byte = 0.5;
  const auto buckets = bucket_schedule(timeline(), options);
  for (const BucketTiming& bucket : buckets) {
    EXPECT_EQ(bucket.ready_s, 0.8);
  }
  EXPECT_EQ(buckets[1].bytes, 15.0 * kMiB);
}

TEST(StepModel, AllReducesRunOneAfterTheOther) {
  const std::vector<BucketTiming> buckets = {{1.0, 0.5}, {1.0, 0.6}, {1.0, 0.9}};
  // Queued behind the first: 0.5 -> 0.8 -> 1.1 -> 1.4.
  EXPECT_DOUBLE_EQ(reduction_end_s(buckets, std::vector<double>(3, 0.3), 1.0), 1.4);
  // All hidden: the last starts when it is ready.
  EXPECT_DOUBLE_EQ(reduction_end_s(buckets, std::vector<double>(3, 0.05), 1.0), 0.95);
  EXPECT_DOUBLE_EQ(reduction_end_s(buckets, std::vector<double>(3, 0.05), 2.0), 1.85);
}

TEST(StepModel, OneRankIsItsOwnSlowest) {
  const StepNoise noise({0.9, 1.0, 1.1});
  EXPECT_DOUBLE_EQ(noise.quantile(0.0), 0.9);
  EXPECT_DOUBLE_EQ(noise.slowest(1, 0.5), 1.0);
  EXPECT_NEAR(noise.expected_slowest(1), 1.0, 0.01);
}

TEST(StepModel, WithoutNoiseNobodyIsSlower) {
  EXPECT_DOUBLE_EQ(StepNoise({}).expected_slowest(1000), 1.0);
  EXPECT_DOUBLE_EQ(StepNoise({1.0, 1.0, 1.0}).expected_slowest(1000), 1.0);
}

TEST(StepModel, TheSlowestOfManyFollowsExtremeValueTheory) {
  core::RandomStream random(1, 0);
  std::vector<double> exponential;
  std::vector<double> normal;
  for (int draw = 0; draw < 4000; ++draw) {
    exponential.push_back(1.0 - 0.01 * std::log1p(-static_cast<double>(random.uniform())));
    normal.push_back(1.0 + 0.02 * static_cast<double>(random.normal()));
  }
  // Largest of n exponentials: the n-th harmonic number. Also beyond the number of observations.
  const StepNoise tail(exponential);
  EXPECT_NEAR(tail.expected_slowest(8), 1.0 + 0.01 * 2.7179, 0.002);
  EXPECT_NEAR(tail.expected_slowest(1024), 1.0 + 0.01 * 7.5092, 0.01);
  EXPECT_NEAR(tail.expected_slowest(100'000), 1.0 + 0.01 * 12.0901, 0.02);
  // Largest of n normals: 1.4236 and 2.7 standard deviations for 8 and 200 (Harter 1961).
  const StepNoise bell(normal);
  EXPECT_NEAR(bell.expected_slowest(8), 1.0 + 0.02 * 1.4236, 0.002);
  EXPECT_NEAR(bell.expected_slowest(200), 1.0 + 0.02 * 2.746, 0.006);
}

// 1, 1 + 1/32, ..., 1 + 20/32: linear up to 0.95, where 1 + 19/32 is, and an exponential tail of
// the one excess beyond it, 1/32. The mean is 0.95 + 0.625 0.95^2 / 2 + 0.05 (1 + 19/32 + 1/32).
TEST(StepModel, TheTailIsOfWhatLiesBeyondTheThreshold) {
  std::vector<double> times;
  for (int place = 0; place <= 20; ++place) {
    times.push_back(1.0 + place / 32.0);
  }
  const StepNoise noise(times);
  EXPECT_NEAR(noise.quantile(0.5), 1.3125, 1e-12);
  EXPECT_NEAR(noise.quantile(0.975), 1.0 + 19.0 / 32.0 + std::log(2.0) / 32.0, 1e-12);
  EXPECT_NEAR(noise.expected_slowest(1), 1.31328125, 5e-5);
}

}  // namespace
}  // namespace dlbench::harness
