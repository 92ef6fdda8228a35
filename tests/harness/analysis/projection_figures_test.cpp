// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How the figures of one projection fit together.
#include "harness/analysis/projection.h"
#include "harness/analysis/projection_internal.h"
#include "tests/harness/analysis/cluster_simulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace dlbench::harness {
namespace {

TEST(ProjectionFigures, RatesEndWhereStepTimesDo) {
  std::mt19937_64 random(3);
  const auto record = Projector(measure(random_cluster(random), random)).project(64);
  const auto batch = static_cast<double>(record.global_batch_size);
  const auto& step_s = record.step_time_s;
  ASSERT_LT((*step_s.ci95)[0], (*step_s.ci95)[1]);
  EXPECT_NEAR(record.samples_per_second * step_s.mean, batch, 1e-9 * batch);
  EXPECT_NEAR((*record.ci95)[0] * (*step_s.ci95)[1], batch, 1e-9 * batch);
  EXPECT_NEAR((*record.ci95)[1] * (*step_s.ci95)[0], batch, 1e-9 * batch);
}

// Steps of 10 ms that vary by a factor of e: of 64 ranks the slowest takes
// several times as long.
TEST(ProjectionFigures, AStepThatMostlyWaitsIsLimitedByItsSlowestRank) {
  Cluster cluster;
  cluster.forward_s = 0.003;
  cluster.backward_s = 0.006;
  cluster.optimizer_s = 0.001;
  cluster.latency_s = 1e-6;
  cluster.bytes_per_s = 1e11;
  cluster.rank_noise = 1.0;
  cluster.gradients = {{1 << 20, 0.009}};
  cluster.buckets = {{0}};
  std::mt19937_64 random(4);
  const auto record = Projector(measure(cluster, random)).project(64);
  EXPECT_EQ(record.limit, "straggler");
  EXPECT_GT(record.waiting_s, 0.5 * record.step_time_s.mean);
  EXPECT_LE(record.waiting_s, record.exposed_communication_s);
}

// 95 % between the ends, with 2.5 % of the errors beyond each. What a band is drawn from is few
// numbers, so that one band has ends of its own; the mean of many has not.
TEST(ProjectionFigures, BandsEndAsFarAboveTheStepAsBelowIt) {
  Cluster cluster = quiet_cluster();
  cluster.drift = 0.01;  // which alone makes errors, and ones as likely up as down
  std::mt19937_64 random(5);
  ProjectionInput input = measure(cluster, random);
  constexpr int kSeeds = 20;
  double above = 0.0;
  double below = 0.0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    input.seed = static_cast<std::uint64_t>(seed);
    const auto step_s = Projector(input).project(8).step_time_s;
    const auto [lower, upper] = *step_s.ci95;
    above += std::log(upper / step_s.mean) / kSeeds;
    below += std::log(step_s.mean / lower) / kSeeds;
  }
  EXPECT_GT(below, 0.005);
  EXPECT_NEAR(above / below, 1.0, 0.08);
}

// Two ranks of two steps: 0.8 and 1.0, 1.0 and 1.2. The variance of all steps is 0.02, that of the
// means 0.02 too, of which 0.01 is that of a mean of two steps.
TEST(ProjectionFigures, RanksDifferByWhatTheirStepsDoNotExplainAndStepsByTheRest) {
  MeasuredSize size{.ranks = 2};
  size.rank_means = {0.9, 1.1};
  size.rank_degrees = 1;
  size.step_times = {0.8, 1.0, 1.0, 1.2};
  size.round_times = {{0.99, 1.01}};
  SeriesSpread spread = spread_of({size});
  EXPECT_NEAR(spread.ranks, 0.1, 1e-12);
  EXPECT_NEAR(spread.steps, 0.1, 1e-12);
  EXPECT_NEAR(spread.rounds, 0.01 * std::sqrt(2.0), 1e-12);
  // Steps that vary as much among ranks that do not differ.
  size.rank_means = {1.0, 1.0};
  spread = spread_of({size});
  EXPECT_EQ(spread.ranks, 0.0);
  EXPECT_NEAR(spread.steps, std::sqrt(0.02), 1e-12);
}

}  // namespace
}  // namespace dlbench::harness
