// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/conv_problem.h"

#include "engine/backend/cuda/channel_padding.h"
#include "engine/graph/graph_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::backend::cuda {
namespace {

using ::testing::ElementsAre;

TEST(ConvProblem, HasEachSizeOfTheNodeInItsPlace) {
  graph::GraphBuilder b(graph::Mode::kTrain);
  const graph::ValueId x = b.add_input("x", core::DType::kF32, {2, 3, 20, 24});
  const graph::ValueId w =
      b.add_state(graph::Storage::kParameter, "w", core::DType::kF32, {4, 3, 2, 3}, {});
  b.add({.op = graph::OpKind::kConv,
         .name = "conv",
         .attributes = graph::ConvAttributes{.stride = {2, 3, 1},
                                             .dilation = {4, 5, 1},
                                             .pad_begin = {1, 2, 0},
                                             .pad_end = {3, 6, 0}},
         .inputs = {x, w}});
  const ConvProblem problem = conv_problem(b.graph(), b.graph().nodes().back(), {});
  EXPECT_EQ(problem.direction, ConvDirection::kForward);
  EXPECT_THAT(problem.x, ElementsAre(2, 3, 20, 24));
  EXPECT_THAT(problem.w, ElementsAre(4, 3, 2, 3));
  EXPECT_THAT(problem.stride, ElementsAre(2, 3));
  EXPECT_THAT(problem.dilation, ElementsAre(4, 5));
  EXPECT_THAT(problem.pad_begin, ElementsAre(1, 2));
  EXPECT_THAT(problem.pad_end, ElementsAre(3, 6));
  // (20 + 1 + 3 - 4 (2 - 1) - 1) / 2 + 1, (24 + 2 + 6 - 5 (3 - 1) - 1) / 3 + 1
  EXPECT_THAT(problem.y, ElementsAre(2, 4, 10, 8));
}

TEST(ChannelsLastStrides, CountChannelsFirst) {
  EXPECT_THAT(channels_last_strides({2, 3, 4, 5}), ElementsAre(60, 1, 15, 3));
  EXPECT_THAT(channels_last_strides({2, 3, 4, 5, 6}), ElementsAre(360, 1, 90, 18, 3));
}

}  // namespace
}  // namespace dlbench::backend::cuda
