// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The structure of differentiated graphs. Whether the gradients are right is tested with kernels:
// per op by the conformance cases, of whole networks in engine/exec.
#include "engine/core/error.h"
#include "engine/graph/layers.h"
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"
#include "tests/engine/graph/networks.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::graph {
namespace {

using ::testing::HasSubstr;

Graph differentiated(const Graph& forward) {
  return differentiate(forward, forward.outputs().at("loss"));
}

std::int64_t count(const Graph& graph, OpKind op) {
  return std::count_if(
      graph.nodes().begin(), graph.nodes().end(), [op](const Node& node) { return node.op == op; });
}

bool has_node(const Graph& graph, const std::string& name) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
    return node.name == name;
  });
}

// x (2, 4) -> the network -> log-softmax -> NLL.
template <typename Network>
Graph classifier(const Network& network) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", core::DType::kF32, {2, 4});
  const ValueId label = builder.add_input("label", core::DType::kI32, {2});
  const ValueId logp = log_softmax(builder, network(builder, x), "logp");
  builder.mark_output("loss", nll_loss(builder, logp, label, "loss"));
  return std::move(builder).finish();
}

TEST(Autodiff, EveryParameterGetsItsGradient) {
  for (const Graph& forward :
       {testing::small_unet(Mode::kTrain, 2, 8), testing::small_classifier(Mode::kTrain, 2)}) {
    const Graph graph = differentiated(forward);
    for (const ValueId id : graph.with_storage(Storage::kParameter)) {
      const Value& parameter = graph.value(id);
      ASSERT_NE(graph.gradient_of(id), kNoValue) << parameter.name;
      const Value& gradient = graph.value(graph.gradient_of(id));
      EXPECT_EQ(gradient.name, "grad/" + parameter.name);
      EXPECT_EQ(gradient.storage, Storage::kGradient);
      EXPECT_EQ(gradient.parameter, id);
      EXPECT_TRUE(gradient.shape == parameter.shape && gradient.dtype == parameter.dtype);
    }
    EXPECT_EQ(graph.with_storage(Storage::kGradient).size(),
              graph.with_storage(Storage::kParameter).size());
  }
}

TEST(Autodiff, ForwardNodesStayAsTheyAre) {
  const Graph forward = testing::small_unet(Mode::kTrain, 2, 8);
  const Graph graph = differentiated(forward);
  for (const Node& node : forward.nodes()) {
    EXPECT_EQ(graph.node(node.id).name, node.name);
    EXPECT_EQ(graph.node(node.id).inputs, node.inputs);
  }
  for (std::size_t id = forward.nodes().size(); id < graph.nodes().size(); ++id) {
    EXPECT_EQ(graph.nodes()[id].phase, Phase::kBackward);
  }
  EXPECT_EQ(graph.outputs(), forward.outputs());
}

TEST(Autodiff, TheFirstConvolutionHasNoBackwardData) {
  const Graph graph = differentiated(testing::small_unet(Mode::kTrain, 2, 8));
  EXPECT_TRUE(has_node(graph, "enc.conv/conv_backward_weights"));
  EXPECT_FALSE(has_node(graph, "enc.conv/conv_backward_data"));
  EXPECT_TRUE(has_node(graph, "deep.conv/conv_backward_data"));
  EXPECT_EQ(graph.nodes().back().name, "enc.conv/conv_backward_weights");
}

TEST(Autodiff, FanOutSumsItsGradients) {
  // "enc.relu" feeds pool and concat, "down" feeds conv and add, "deep.relu" feeds pool and scale.
  const Graph graph = differentiated(testing::small_unet(Mode::kTrain, 2, 8));
  for (const char* name : {"enc.relu", "pool", "deep.relu"}) {
    EXPECT_TRUE(has_node(graph, std::string(name) + "/sum_gradients")) << name;
  }
  EXPECT_EQ(count(graph, OpKind::kAdd), 1 + 3);
}

TEST(Autodiff, ThreeReadersNeedTwoAdditions) {
  const Graph graph = differentiated(classifier([](GraphBuilder& builder, ValueId x) {
    const ValueId h = linear(builder, x, "fc", {.features_out = 4});
    const ValueId ab = add(builder, relu(builder, h, "a"), sigmoid(builder, h, "b"), "ab");
    return add(builder, ab, h, "abc");
  }));
  EXPECT_EQ(count(graph, OpKind::kAdd), 2 + 2);
}

TEST(Autodiff, OneValueAsBothOperandsGetsBothGradients) {
  const Graph graph = differentiated(classifier([](GraphBuilder& builder, ValueId x) {
    const ValueId h = linear(builder, x, "fc", {.features_out = 4});
    return multiply(builder, h, h, "square");
  }));
  EXPECT_TRUE(has_node(graph, "square/multiply"));
  EXPECT_TRUE(has_node(graph, "square/multiply_1"));
  EXPECT_TRUE(has_node(graph, "fc/sum_gradients"));
}

TEST(Autodiff, SlicesOfOneValueSumTheirGradients) {
  const Graph graph = differentiated(classifier([](GraphBuilder& builder, ValueId x) {
    const ValueId h = linear(builder, x, "fc", {.features_out = 8});
    const ValueId left = slice(builder, h, "left", {.begin = 0, .extent = 4});
    return add(builder, left, slice(builder, h, "right", {.begin = 4, .extent = 4}), "sum");
  }));
  EXPECT_TRUE(has_node(graph, "left/slice_backward"));
  EXPECT_TRUE(has_node(graph, "right/slice_backward"));
  EXPECT_TRUE(has_node(graph, "fc/sum_gradients"));
}

TEST(Autodiff, AParameterUsedTwiceHasOneGradient) {
  const Graph graph = differentiated(classifier([](GraphBuilder& builder, ValueId x) {
    const ValueId w =
        builder.add_state(Storage::kParameter, "shared", core::DType::kF32, {4, 4}, {});
    const ValueId h = builder.add({.op = OpKind::kLinear, .name = "fc1", .inputs = {x, w}});
    return builder.add({.op = OpKind::kLinear, .name = "fc2", .inputs = {h, w}});
  }));
  ASSERT_EQ(graph.with_storage(Storage::kGradient).size(), 1U);
  const Value& gradient = graph.value(graph.with_storage(Storage::kGradient).front());
  EXPECT_EQ(graph.node(gradient.producer).op, OpKind::kAdd);
  EXPECT_EQ(graph.node(gradient.producer).phase, Phase::kBackward);
}

TEST(Autodiff, WhatTheLossDoesNotReadHasNoGradient) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", core::DType::kF32, {2, 4});
  const ValueId label = builder.add_input("label", core::DType::kI32, {2});
  const ValueId h = linear(builder, x, "fc", {.features_out = 4});
  const ValueId unused = linear(builder, h, "unused", {.features_out = 3});
  builder.mark_output("side", relu(builder, unused, "side"));
  const ValueId logp = log_softmax(builder, h, "logp");
  builder.mark_output("counts", classification_counts(builder, logp, label, "counts"));
  builder.mark_output("loss", nll_loss(builder, logp, label, "loss"));
  const Graph graph = differentiated(std::move(builder).finish());
  EXPECT_EQ(graph.gradient_of(*graph.find("unused.weight")), kNoValue);
  EXPECT_NE(graph.gradient_of(*graph.find("fc.weight")), kNoValue);
  EXPECT_FALSE(has_node(graph, "side/relu_backward"));
}

TEST(Autodiff, NoBackwardNodesBelowWhatIsTrained) {
  const Graph graph = differentiated(classifier([](GraphBuilder& builder, ValueId x) {
    return linear(
        builder, sigmoid(builder, relu(builder, x, "relu"), "s"), "fc", {.features_out = 4});
  }));
  EXPECT_EQ(count(graph, OpKind::kReluBackward), 0);
  EXPECT_EQ(count(graph, OpKind::kSigmoidBackward), 0);
  EXPECT_EQ(count(graph, OpKind::kLinearBackwardData), 0);
  EXPECT_EQ(count(graph, OpKind::kLinearBackwardWeights), 1);
}

TEST(Autodiff, TheSeedIsAScalarOfTheState) {
  const Graph graph = differentiated(testing::small_classifier(Mode::kTrain, 2));
  const Value& seed = graph.value(graph.find("loss_gradient").value());
  EXPECT_EQ(seed.storage, Storage::kScalar);
  EXPECT_EQ(seed.initializer.value, 1.0);
}

std::string error_of(const Graph& forward, ValueId loss) {
  return tests::error_of([&] { (void)differentiate(forward, loss); }, core::ErrorCode::kShape);
}

TEST(Autodiff, AnOpWithoutGradientRuleIsNamed) {
  // Batch norm in evaluate mode cannot be trained; the walk meets the deeper one first.
  const Graph forward = testing::small_unet(Mode::kEvaluate, 2, 8);
  EXPECT_THAT(
      error_of(forward, forward.outputs().at("loss")),
      HasSubstr("the loss depends on 'deep.bn', but batch_norm_inference has no gradient rule"));
}

TEST(Autodiff, TheLossMustBeAFloatScalar) {
  const Graph forward = testing::small_classifier(Mode::kTrain, 2);
  EXPECT_THAT(error_of(forward, forward.outputs().at("prediction")),
              HasSubstr("'prediction' must be a float scalar, not (2, 5)"));
  GraphBuilder builder(Mode::kTrain);
  const ValueId whole = builder.scalar("whole", core::DType::kI64, 0);
  EXPECT_THAT(error_of(std::move(builder).finish(), whole),
              HasSubstr("'whole' must be a float scalar, not ()"));
}

TEST(Autodiff, EveryForwardOpHasARuleOrIsKnownToHaveNone) {
  const std::vector<std::string_view> without{"normalize_image",
                                              "batch_norm_inference",
                                              "segmentation_counts",
                                              "classification_counts",
                                              "all_reduce_start",
                                              "all_reduce_wait",
                                              "optimizer_advance",
                                              "sgd",
                                              "adam",
                                              "nadam",
                                              "adadelta",
                                              "unscale_gradients",
                                              "update_loss_scale"};
  for (const OpDef& row : all_op_defs()) {
    const bool backward = row.name.find("_backward") != std::string_view::npos;
    const bool known = std::find(without.begin(), without.end(), row.name) != without.end();
    EXPECT_EQ(row.differentiate == nullptr, backward || known) << row.name;
  }
}

}  // namespace
}  // namespace dlbench::graph
