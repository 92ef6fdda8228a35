// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/check.h"
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"
#include "tests/engine/graph/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dlbench::graph {
namespace {

Graph plain_step() {
  return testing::training_step(testing::small_unet(Mode::kTrain, 2, 8),
                                {.kind = OptimizerKind::kAdam},
                                {.first_cap_bytes = 32, .cap_bytes = 200});
}

std::vector<Node> nodes_of(const Graph& graph, OpKind op) {
  std::vector<Node> nodes;
  std::ranges::copy_if(
      graph.nodes(), std::back_inserter(nodes), [op](const Node& node) { return node.op == op; });
  return nodes;
}

TEST(ScaleLoss, TheSeedIsMultipliedBeforeAnythingReadsIt) {
  const Graph graph = scale_loss(plain_step(), {.initial = 1024.0});
  const ValueId seed = graph.find("loss_gradient").value();
  const ValueId scale = graph.find("loss_scale").value();
  EXPECT_EQ(graph.value(scale).initializer.value, 1024.0);
  const auto readers = graph.readers();
  const auto& of_seed = readers.at(static_cast<std::size_t>(seed));
  ASSERT_EQ(of_seed.size(), 1U) << "something is differentiated without the scale";
  const Node& product = graph.node(of_seed.front());
  EXPECT_EQ(product.op, OpKind::kMultiply);
  EXPECT_EQ(product.inputs, (std::vector<ValueId>{seed, scale}));
  EXPECT_FALSE(readers.at(static_cast<std::size_t>(product.outputs.front())).empty());
}

TEST(ScaleLoss, EveryGradientIsUnscaledOnceBetweenItsReductionAndTheUpdates) {
  const Graph graph = scale_loss(plain_step());
  const ValueId found_inf = graph.find("found_inf").value();
  const Node last_wait = nodes_of(graph, OpKind::kAllReduceWait).back();
  const Node advance = nodes_of(graph, OpKind::kOptimizerAdvance).front();
  const std::vector<Node> all = nodes_of(graph, OpKind::kUnscaleGradients);
  ASSERT_EQ(all.size(), nodes_of(graph, OpKind::kAllReduceStart).size());
  ASSERT_GT(all.size(), 1U);
  std::vector<ValueId> unscaled;
  for (const Node& node : all) {
    EXPECT_GT(node.id, last_wait.id) << "ranks could see different gradients";
    EXPECT_LT(node.id, advance.id);
    EXPECT_EQ(node.updates.back(), found_inf);
    unscaled.insert(unscaled.end(), node.updates.begin(), node.updates.end() - 1);
  }
  std::vector<ValueId> gradients;
  for (const ValueId parameter : graph.with_storage(Storage::kParameter)) {
    gradients.push_back(graph.gradient_of(parameter));
  }
  std::ranges::sort(gradients);
  std::ranges::sort(unscaled);
  EXPECT_EQ(unscaled, gradients);
}

TEST(ScaleLoss, WhatAStepChangesMayBeSkippedAndTheScaleComesLast) {
  const Graph before = plain_step();
  const Graph graph = scale_loss(before, {.rule = {.interval = 7}});
  const ValueId found_inf = graph.find("found_inf").value();
  EXPECT_EQ(nodes_of(graph, OpKind::kOptimizerAdvance).front().inputs,
            std::vector<ValueId>{found_inf});
  const std::vector<Node> updates = nodes_of(graph, OpKind::kAdam);
  EXPECT_EQ(updates.size(), nodes_of(before, OpKind::kAdam).size());
  for (const Node& node : updates) {
    EXPECT_TRUE(reads_found_inf(node)) << node.name;
    EXPECT_EQ(node.inputs.back(), found_inf);
  }
  for (const Node& node : nodes_of(before, OpKind::kAdam)) {
    EXPECT_FALSE(reads_found_inf(node)) << node.name;
  }
  const Node& last = graph.nodes().back();
  EXPECT_EQ(last.op, OpKind::kUpdateLossScale);
  EXPECT_EQ(last.as<LossScaleAttributes>().interval, 7);
  EXPECT_NE(graph.hash(), scale_loss(before).hash()) << "ranks with two rules would not be told";
}

TEST(ScaleLoss, IsForAWholeStep) {
  const Graph forward = testing::small_classifier(Mode::kTrain, 2);
  EXPECT_THROW((void)scale_loss(forward), core::CheckFailure);
  EXPECT_THROW((void)scale_loss(differentiate(forward, forward.outputs().at("loss"))),
               core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::graph
