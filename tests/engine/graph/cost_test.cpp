// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Work and traffic of ops against numbers worked out by hand.
#include "engine/graph/layers.h"
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"
#include "tests/engine/graph/networks.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace dlbench::graph {
namespace {

using core::DType;

Cost cost_of(const Graph& graph, const std::string& node_name) {
  for (const Node& node : graph.nodes()) {
    if (node.name == node_name) {
      return op_def(node.op).cost(graph, node);
    }
  }
  ADD_FAILURE() << "no node " << node_name;
  return {};
}

// x (2, 3, 10, 12), 5 filters of 3x3 and stride 2 with a bias: y (2, 5, 5, 6), sum as loss
// fake.
Graph conv_network(bool image_is_trained) {
  GraphBuilder builder(Mode::kTrain);
  ValueId x = builder.add_input("image", DType::kF32, {2, 3, 10, 12});
  if (image_is_trained) {
    x = conv2d(builder, x, "first", {.channels_out = 3, .kernel = 1, .bias = false});
  }
  const ValueId y = conv2d(builder, x, "conv", {.channels_out = 5, .stride = 2});
  const ValueId pooled = global_avg_pool(builder, y, "pool");
  const ValueId logp = log_softmax(builder, pooled, "logp");
  const ValueId label = builder.add_input("label", core::DType::kI32, {2});
  builder.mark_output("loss", nll_loss(builder, logp, label, "loss"));
  const Graph forward = std::move(builder).finish();
  return differentiate(forward, forward.outputs().at("loss"));
}

constexpr std::int64_t kOutputs = 2 * 5 * 5 * 6;
constexpr std::int64_t kMacs = kOutputs * 3 * 9;
constexpr std::int64_t kX = 2 * 3 * 10 * 12;
constexpr std::int64_t kWeight = 5 * 3 * 9;

TEST(Cost, ConvolutionIsOneMacPerOutputAndTap) {
  const Cost cost = cost_of(conv_network(false), "conv");
  EXPECT_EQ(cost.macs, kMacs);
  EXPECT_EQ(cost.flop, 2 * kMacs + kOutputs);
  EXPECT_EQ(cost.bytes, 4 * (kX + kWeight + 5 + kOutputs));
}

TEST(Cost, BackwardConvolutionsCostAsMuchAsTheForwardOne) {
  const Graph graph = conv_network(true);
  const Cost weights = cost_of(graph, "conv/conv_backward_weights");
  EXPECT_EQ(weights.macs, kMacs);
  EXPECT_EQ(weights.flop, 2 * kMacs + kOutputs);
  EXPECT_EQ(weights.bytes, 4 * (kX + kOutputs + kWeight + 5)) << "weight and bias are not read";
  const Cost data = cost_of(graph, "conv/conv_backward_data");
  EXPECT_EQ(data.macs, kMacs);
  EXPECT_EQ(data.flop, 2 * kMacs);
  EXPECT_EQ(data.bytes, 4 * (kOutputs + kWeight + kX)) << "x is not read, dx is written";
}

TEST(Cost, GroupsDivideTheWork) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", DType::kF32, {1, 8, 6, 6});
  const ValueId w = builder.add_state(Storage::kParameter, "w", DType::kF32, {4, 2, 3, 3}, {});
  (void)builder.add({.op = OpKind::kConv,
                     .name = "conv",
                     .attributes = ConvAttributes{.groups = 4},
                     .inputs = {x, w}});
  EXPECT_EQ(cost_of(builder.graph(), "conv").macs, 4 * 4 * 4 * 2 * 9);
}

TEST(Cost, ThreeDimensionalConvolution) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", DType::kF32, {1, 4, 64, 64, 64});
  const ValueId w = builder.add_state(Storage::kParameter, "w", DType::kF32, {64, 4, 4, 4, 4}, {});
  const ConvAttributes conv{.stride = {2, 2, 2}, .pad_begin = {1, 1, 1}, .pad_end = {1, 1, 1}};
  (void)builder.add({.op = OpKind::kConv, .name = "conv", .attributes = conv, .inputs = {x, w}});
  // The first layer of the cosmology U-Net: 0.537 GMAC.
  EXPECT_EQ(cost_of(builder.graph(), "conv").macs, 536870912);
}

TEST(Cost, TransposedConvolutionIsOneMacPerInputAndTap) {
  GraphBuilder builder(Mode::kTrain);
  ValueId x = builder.add_input("x", DType::kF32, {2, 3, 6, 5});
  x = conv2d(builder, x, "first", {.channels_out = 3, .kernel = 1, .bias = false});
  const ValueId up = conv_transpose2d(builder, x, "up", {.channels_out = 7});
  const ValueId logp = log_softmax(builder, global_avg_pool(builder, up, "pool"), "logp");
  const ValueId label = builder.add_input("label", core::DType::kI32, {2});
  builder.mark_output("loss", nll_loss(builder, logp, label, "loss"));
  const Graph forward = std::move(builder).finish();
  const Graph graph = differentiate(forward, forward.outputs().at("loss"));
  constexpr std::int64_t kIn = 2 * 3 * 6 * 5;
  constexpr std::int64_t kOut = 2 * 7 * 12 * 10;
  constexpr std::int64_t kTaps = 3 * 7 * 4;
  // Kernel and stride are 2: every output has one tap of every input channel.
  constexpr std::int64_t kUpMacs = kIn * 7 * 4;
  static_assert(kUpMacs == kOut * 3);
  for (const char* node : {"up", "up/conv", "up/conv_backward_weights"}) {
    const Cost cost = cost_of(graph, node);
    EXPECT_EQ(cost.macs, kUpMacs) << node;
    EXPECT_EQ(cost.flop, 2 * kUpMacs) << node;
    EXPECT_EQ(cost.bytes, 4 * (kIn + kOut + kTaps)) << node;
  }
  EXPECT_EQ(cost_of(graph, "up/bias").flop, kOut);
  EXPECT_EQ(cost_of(graph, "up/bias").bytes, 4 * (2 * kOut + 7));
  EXPECT_EQ(cost_of(graph, "up/bias/add_bias_backward").flop, kOut);
}

TEST(Cost, LinearInAllDirections) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", DType::kF32, {3, 7});
  const ValueId hidden = linear(builder, x, "fc1", {.features_out = 11});
  const ValueId logp =
      log_softmax(builder, linear(builder, hidden, "fc2", {.features_out = 5}), "logp");
  const ValueId label = builder.add_input("label", core::DType::kI32, {3});
  builder.mark_output("loss", nll_loss(builder, logp, label, "loss"));
  const Graph forward = std::move(builder).finish();
  const Graph graph = differentiate(forward, forward.outputs().at("loss"));
  EXPECT_EQ(cost_of(graph, "fc1").macs, 3 * 7 * 11);
  EXPECT_EQ(cost_of(graph, "fc1").flop, 2 * 3 * 7 * 11 + 3 * 11);
  EXPECT_EQ(cost_of(graph, "fc1/linear_backward_weights").macs, 3 * 7 * 11);
  EXPECT_EQ(cost_of(graph, "fc2/linear_backward_data").macs, 3 * 11 * 5);
  EXPECT_EQ(cost_of(graph, "fc2/linear_backward_weights").bytes, 4 * (3 * 11 + 3 * 5 + 5 * 11 + 5));
}

TEST(Cost, OperandsReadForTheirShapeAloneAreNoTraffic) {
  const Graph forward = testing::small_unet(Mode::kTrain, 2, 8);
  const Graph graph = differentiate(forward, forward.outputs().at("loss"));
  EXPECT_EQ(cost_of(graph, "up/upsample_nearest_backward").bytes, 4 * (2 * 4 * 8 * 8 + 2 * 4 * 16));
  EXPECT_EQ(cost_of(graph, "se.pool/global_avg_pool_backward").bytes, 4 * (2 * 4 + 2 * 4 * 16));
  EXPECT_EQ(cost_of(graph, "pool/max_pool_backward").bytes, (4 + 1) * 2 * 4 * 16 + 4 * 2 * 4 * 64);
  EXPECT_EQ(cost_of(graph, "loss/sums/dice_backward").bytes, 4 + 2 * 64 + 4 * 3 + 4 * 2 * 64);
}

TEST(Cost, ASliceReadsItsRangeAlone) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", DType::kF32, {2, 16, 3, 5});
  builder.mark_output("y", slice(builder, x, "part", {.begin = 4, .extent = 6}));
  EXPECT_EQ(cost_of(builder.graph(), "part").bytes, 4 * 2 * (2 * 6 * 3 * 5));
}

// Where a backend needs no kernel for it, the lowered graph counts none of it (emission.h).
TEST(Cost, AReshapeMovesWhatACopyMoves) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", DType::kF32, {2, 16, 3, 5});
  builder.mark_output("y", flatten(builder, x, "flat"));
  EXPECT_EQ(cost_of(builder.graph(), "flat").bytes, 4 * 2 * (2 * 16 * 3 * 5));
}

TEST(Cost, NoOpIsFreeUnlessItMovesNothing) {
  const Graph graph = testing::training_step(testing::small_unet(Mode::kTrain, 2, 8),
                                             {.kind = OptimizerKind::kAdam});
  for (const Node& node : graph.nodes()) {
    const Cost cost = op_def(node.op).cost(graph, node);
    const bool free = node.op == OpKind::kAllReduceStart || node.op == OpKind::kAllReduceWait ||
                      node.op == OpKind::kOptimizerAdvance;
    EXPECT_EQ(cost.bytes == 0, free) << node.name;
    EXPECT_GE(cost.flop, 2 * cost.macs) << node.name;
  }
}

TEST(Totals, SumTheGraph) {
  const Graph forward = conv_network(false);
  const GraphTotals sum = totals(forward);
  EXPECT_EQ(sum.trainable_parameters, kWeight + 5);
  EXPECT_EQ(sum.buffers, 0);
  EXPECT_EQ(sum.forward_macs, kMacs);
  std::int64_t flop = 0;
  std::int64_t bytes = 0;
  for (const Node& node : forward.nodes()) {
    const Cost cost = op_def(node.op).cost(forward, node);
    flop += cost.flop;
    bytes += cost.bytes;
  }
  EXPECT_EQ(sum.training_flop, flop);
  EXPECT_EQ(sum.bytes, bytes);
  EXPECT_GT(sum.training_flop, 4 * kMacs) << "the first convolution has no backward-data";
  EXPECT_LT(sum.training_flop, 5 * kMacs);
  EXPECT_EQ(sum.optimizer_flop, 0);
  // Here the backward pass has more of them than the forward pass.
  EXPECT_EQ(totals(conv_network(true)).forward_macs, kMacs + 3 * kX);
}

TEST(Totals, TheOptimizerIsAPartThatNoBatchChanges) {
  const auto totals_at = [](std::int64_t batch) {
    return totals(testing::training_step(testing::small_unet(Mode::kTrain, batch, 8),
                                         {.kind = OptimizerKind::kAdadelta}));
  };
  const GraphTotals two = totals_at(2);
  EXPECT_EQ(two.optimizer_flop, 15 * two.trainable_parameters);
  EXPECT_EQ(totals_at(4).optimizer_flop, two.optimizer_flop);
  EXPECT_GT(two.training_flop, two.optimizer_flop);
}

// Of each element of 4 bytes the gradient is read; the parameter and its states are read and
// written.
TEST(Cost, OptimizersReadGradientsAndMoveParametersAndStates) {
  const auto bytes_per_element = [](OptimizerKind kind, OpKind op) {
    const Graph step =
        testing::training_step(testing::small_classifier(Mode::kTrain, 2), {.kind = kind});
    std::int64_t bytes = 0;
    for (const Node& node : step.nodes()) {
      bytes += node.op == op ? op_def(node.op).cost(step, node).bytes : 0;
    }
    const std::int64_t elements = totals(step).trainable_parameters;
    EXPECT_EQ(bytes % elements, 0);
    return bytes / elements;
  };
  EXPECT_EQ(bytes_per_element(OptimizerKind::kSgd, OpKind::kSgd), 20);
  EXPECT_EQ(bytes_per_element(OptimizerKind::kAdam, OpKind::kAdam), 28);
}

TEST(Totals, BuffersAreTheStatisticsOfBatchNorms) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("image", DType::kF32, {2, 4, 3, 3});
  builder.mark_output("prediction", batch_norm(builder, x, "bn", {}));
  const GraphTotals sum = totals(std::move(builder).finish());
  EXPECT_EQ(sum.buffers, 8) << "mean and variance of 4 channels";
  EXPECT_EQ(sum.trainable_parameters, 8) << "scale and shift";
}

}  // namespace
}  // namespace dlbench::graph
