// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which projections are not to be trusted, and why.
#include "harness/analysis/projection.h"
#include "tests/harness/analysis/cluster_simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <random>

namespace dlbench::harness {
namespace {

using ::testing::HasSubstr;

TEST(Projection, IsDoubtedForAnotherBatchThanTheOnlyOne) {
  std::mt19937_64 random(1);
  Cluster cluster = quiet_cluster();
  cluster.global_batch = 7;
  cluster.sizes = {4, 5};
  const Projector projector(measure(cluster, random));
  EXPECT_EQ(projector.project(6).doubt, std::nullopt);
  EXPECT_EQ(projector.project(7).doubt,
            "it is for another local batch, and one alone was measured");
  cluster.sizes = {3, 4};
  EXPECT_EQ(Projector(measure(cluster, random)).project(7).doubt, std::nullopt);
}

TEST(Projection, IsDoubtedPastTheOnlyNodeAndWithABadFit) {
  std::mt19937_64 random(5);
  ProjectionInput input = measure(quiet_cluster(), random);
  EXPECT_EQ(Projector(input).project(64).doubt, std::nullopt);
  input.only_node_ranks = 8;
  const Projector one_node(input);
  EXPECT_EQ(one_node.project(8).doubt, std::nullopt);
  EXPECT_EQ(one_node.project(64).doubt,
            "no network between nodes was measured, only 8 ranks of one node");
  for (std::size_t index = 0; index < input.collectives.size(); ++index) {
    input.collectives[index].time_s *= index % 2 == 0 ? 0.3 : 3.0;
  }
  EXPECT_THAT(Projector(input).project(8).doubt.value_or(""),
              HasSubstr("the fitted network misses what was measured by"));
  EXPECT_EQ(Projector(input).project(1).doubt, std::nullopt) << "no network is asked";
}

TEST(Projection, IsDoubtedWhereMeasuredRanksSharedTheirCores) {
  std::mt19937_64 random(5);
  ProjectionInput input = measure(quiet_cluster(), random);
  input.load = {{4, 2.0}, {8, 4.0}};
  const Projector projector(input);
  EXPECT_EQ(projector.project(2).doubt, std::nullopt);
  EXPECT_EQ(projector.project(8, 4.0).doubt, std::nullopt);
  EXPECT_THAT(projector.project(4).doubt.value_or(""), HasSubstr("measured ranks shared"));
  EXPECT_THAT(projector.project(8).doubt.value_or(""), HasSubstr("measured ranks shared"));
  EXPECT_THAT(projector.project(64).doubt.value_or(""), HasSubstr("measured ranks shared"));
  EXPECT_GT(projector.project(8, 4.0).step_time_s.mean,
            2.0 * projector.project(8).step_time_s.mean);
}

TEST(Projection, IsDoubtedWhereRanksSharedAGpuWereDealtOutToNodesOrDisturbed) {
  std::mt19937_64 random(5);
  const ProjectionInput input = measure(quiet_cluster(), random);
  const auto doubt = [](ProjectionInput of, bool ProjectionInput::*how) {
    of.*how = true;
    return Projector(of).project(64).doubt.value_or("");
  };
  EXPECT_EQ(Projector(input).project(64).doubt, std::nullopt);
  EXPECT_THAT(doubt(input, &ProjectionInput::shared_gpu), HasSubstr("a GPU for each rank"));
  EXPECT_EQ(doubt(input, &ProjectionInput::disturbed),
            "others disturbed the measurement of all-reduces");
  EXPECT_THAT(doubt(input, &ProjectionInput::dealt_out), HasSubstr("one node after the other"));
}

// Of sizes 1, 2 and 4 the largest is predicted from two ranks' all-reduces, of 1, 2, 4 and 8 not.
TEST(LeaveLargestOut, HasTheDoubtOfItsOwnPrediction) {
  std::mt19937_64 random(5);
  Cluster cluster = quiet_cluster();
  cluster.sizes = {1, 2, 4};
  EXPECT_THAT(leave_largest_out(measure(cluster, random)).value().doubt.value_or(""),
              HasSubstr("all-reduces of 2 ranks alone"));
  cluster.sizes = {1, 2, 4, 8};
  EXPECT_EQ(leave_largest_out(measure(cluster, random)).value().doubt, std::nullopt);
}

}  // namespace
}  // namespace dlbench::harness
