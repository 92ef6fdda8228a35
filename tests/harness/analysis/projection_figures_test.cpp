// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How the figures of one projection fit together.
#include "harness/analysis/projection.h"
#include "tests/harness/analysis/cluster_simulator.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dlbench::harness
