// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/fusion.h"

#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend {
namespace {

using graph::GraphBuilder;
using graph::Node;
using graph::OpKind;
using graph::ValueId;
using ::testing::ElementsAre;

constexpr core::DType kF32 = core::DType::kF32;

/// x0 + x1 + ... of `count` inputs, from the left to the right: "sum1", "sum2", ...
struct Chain {
  GraphBuilder builder{graph::Mode::kTrain};
  std::vector<ValueId> x;
  std::vector<ValueId> sums;

  explicit Chain(int count) {
    for (int i = 0; i < count; ++i) {
      x.push_back(builder.add_input("x" + std::to_string(i), kF32, {2, 4, 3, 3}));
    }
    ValueId sum = x[0];
    for (int i = 1; i < count; ++i) {
      sum = graph::add(builder, sum, x[static_cast<std::size_t>(i)], "sum" + std::to_string(i));
      sums.push_back(sum);
    }
  }
};

/// The operands of each group of additions, in graph order; single ones have no group.
std::vector<std::vector<ValueId>> sums_of(const graph::Graph& graph,
                                          const std::vector<ValueId>& keep = {}) {
  const Fusion fusion(graph, keep);
  std::vector<std::vector<ValueId>> sums;
  for (const Node& node : graph.nodes()) {
    const FusedGroup* group = fusion.group_of(node.id);
    if (group != nullptr && group->main == node.id && node.op == OpKind::kAdd) {
      EXPECT_EQ(group->nodes.size() + 1, group->summands.size());
      EXPECT_TRUE(fusion.runs_here(group->nodes.back()));
      sums.push_back(group->summands);
    }
  }
  return sums;
}

TEST(FusedSum, TakesUpToFourOperands) {
  Chain two(2);
  two.builder.mark_output("y", two.sums.back());
  EXPECT_THAT(sums_of(std::move(two.builder).finish()), ElementsAre());
  Chain six(6);
  six.builder.mark_output("y", six.sums.back());
  // The two of the rest: the sum of the first four, which is the first operand, and the others.
  EXPECT_THAT(sums_of(std::move(six.builder).finish()),
              ElementsAre(ElementsAre(six.x[0], six.x[1], six.x[2], six.x[3]),
                          ElementsAre(six.sums[2], six.x[4], six.x[5])));
}

TEST(FusedSum, EndsAtWhatOthersRead) {
  Chain kept(4);
  kept.builder.mark_output("y", kept.sums.back());
  EXPECT_THAT(sums_of(std::move(kept.builder).finish(), {kept.sums[1]}),
              ElementsAre(ElementsAre(kept.x[0], kept.x[1], kept.x[2])));
  Chain shared(4);
  shared.builder.mark_output("y", shared.sums.back());
  shared.builder.mark_output("z", graph::relu(shared.builder, shared.sums[0], "reader"));
  EXPECT_THAT(sums_of(std::move(shared.builder).finish()),
              ElementsAre(ElementsAre(shared.sums[0], shared.x[2], shared.x[3])));
}

TEST(FusedSum, NeverReadsASumThatItMakesTwice) {
  Chain chain(3);
  const ValueId doubled =
      graph::add(chain.builder, chain.sums.back(), chain.sums.back(), "doubled");
  chain.builder.mark_output("y", doubled);
  EXPECT_THAT(sums_of(std::move(chain.builder).finish()),
              ElementsAre(ElementsAre(chain.x[0], chain.x[1], chain.x[2])));
}

TEST(UpsampledIntoConcat, IsWhatOneConcatenationReadsOnce) {
  for (const std::string how : {"once", "twice", "also by a relu"}) {
    GraphBuilder b(graph::Mode::kTrain);
    const ValueId x = b.add_input("x", kF32, {2, 4, 3, 3});
    const ValueId up = graph::upsample2d(b, x, "up", 2);
    const ValueId other = b.add_input("other", kF32, {2, 4, 6, 6});
    b.mark_output("y", graph::concat(b, {other, how == "twice" ? up : other, up}, "concat"));
    if (how == "also by a relu") {
      b.mark_output("z", graph::relu(b, up, "relu"));
    }
    const graph::Graph graph = std::move(b).finish();
    const Fusion fusion(graph, {});
    EXPECT_EQ(fusion.upsampled_into_concat(up) != nullptr, how == "once") << how;
    EXPECT_EQ(fusion.upsampled_into_concat(other), nullptr) << how;
  }
}

}  // namespace
}  // namespace dlbench::backend
