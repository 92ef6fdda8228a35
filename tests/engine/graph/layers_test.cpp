// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/layers.h"

#include "engine/core/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::graph {
namespace {

using ::testing::ElementsAre;

struct SameCase {
  std::int64_t extent;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t dilation;
  std::int64_t pad_begin;
  std::int64_t pad_end;
  std::int64_t output;
};

// Numbers of tf.nn.conv2d(padding="SAME"): total = max((ceil(i / s) - 1) s + (k - 1) d + 1 - i, 0),
// the smaller half first. https://www.tensorflow.org/api_docs/python/tf/nn#notes_on_padding_2
const SameCase kSameCases[] = {
    {8, 3, 1, 1, 1, 1, 8},
    {8, 1, 1, 1, 0, 0, 8},
    {8, 2, 1, 1, 0, 1, 8},
    {8, 5, 1, 1, 2, 2, 8},
    {8, 3, 2, 1, 0, 1, 4},  // even size, stride 2: nothing above, one row below
    {7, 3, 2, 1, 1, 1, 4},  // odd size, stride 2: one on both sides
    {256, 3, 2, 1, 0, 1, 128},
    {5, 1, 2, 1, 0, 0, 3},
    {6, 1, 2, 1, 0, 0, 3},
    {16, 3, 1, 6, 6, 6, 16},
    {16, 3, 1, 12, 12, 12, 16},
    {15, 3, 1, 18, 18, 18, 15},
    {9, 2, 1, 3, 1, 2, 9},
    {7, 4, 3, 1, 1, 2, 3},
    {1, 3, 2, 1, 1, 1, 1},
};

TEST(Conv2d, PadsAsKerasSameDoes) {
  for (const SameCase& same : kSameCases) {
    GraphBuilder builder(Mode::kTrain);
    // The other axis is of even size, so that the two cannot be mixed up.
    const ValueId x = builder.add_input("x", core::DType::kF32, {1, 2, same.extent, 40});
    const ValueId y = conv2d(builder,
                             x,
                             "conv",
                             {.channels_out = 3,
                              .kernel = same.kernel,
                              .stride = same.stride,
                              .dilation = same.dilation});
    const auto& conv = builder.graph().nodes().back().as<ConvAttributes>();
    const std::string where = std::to_string(same.extent) + " kernel " +
                              std::to_string(same.kernel) + " stride " +
                              std::to_string(same.stride);
    EXPECT_EQ(conv.pad_begin[0], same.pad_begin) << where;
    EXPECT_EQ(conv.pad_end[0], same.pad_end) << where;
    EXPECT_EQ(builder.graph().value(y).shape[2], same.output) << where;
    EXPECT_EQ(builder.graph().value(y).shape[3], (40 + same.stride - 1) / same.stride) << where;
  }
}

TEST(Conv2d, DeclaresItsParametersInOrder) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", core::DType::kF32, {1, 2, 8, 8});
  (void)conv2d(builder, x, "a", {.channels_out = 3, .kernel = 5});
  (void)conv2d(builder, x, "b", {.channels_out = 4, .bias = false});
  std::vector<std::string> names;
  for (const ValueId id : builder.graph().with_storage(Storage::kParameter)) {
    const Value& value = builder.graph().value(id);
    names.push_back(value.name + " " + value.shape.to_string());
  }
  EXPECT_THAT(names, ElementsAre("a.weight (3, 2, 5, 5)", "a.bias (3)", "b.weight (4, 2, 3, 3)"));
  const Initializer& weight = builder.graph().value(*builder.graph().find("a.weight")).initializer;
  EXPECT_EQ(weight.kind, Initializer::Kind::kGlorotUniform);
  EXPECT_EQ(weight.fan_in, 2 * 25);
  EXPECT_EQ(weight.fan_out, 3 * 25);
}

TEST(ConvTranspose2d, DeclaresItsParametersAndDoublesByDefault) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", core::DType::kF32, {1, 2, 8, 5});
  const ValueId a = conv_transpose2d(builder, x, "a", {.channels_out = 3});
  EXPECT_EQ(builder.graph().value(a).shape, (core::Shape{1, 3, 16, 10}));
  const ValueId b = conv_transpose2d(
      builder,
      x,
      "b",
      {.channels_out = 4, .kernel = 3, .padding = 1, .output_padding = 1, .bias = false});
  EXPECT_EQ(builder.graph().value(b).shape, (core::Shape{1, 4, 16, 10}));
  std::vector<std::string> names;
  for (const ValueId id : builder.graph().with_storage(Storage::kParameter)) {
    const Value& value = builder.graph().value(id);
    names.push_back(value.name + " " + value.shape.to_string());
  }
  EXPECT_THAT(names, ElementsAre("a.weight (2, 3, 2, 2)", "a.bias (3)", "b.weight (2, 4, 3, 3)"));
  const Initializer& weight = builder.graph().value(*builder.graph().find("b.weight")).initializer;
  EXPECT_EQ(weight.fan_in, 4 * 9);
  EXPECT_EQ(weight.fan_out, 2 * 9);
}

TEST(BatchNorm, UsesBatchStatisticsInTrainModeAndRunningOnesInEvaluateMode) {
  for (const Mode mode : {Mode::kTrain, Mode::kEvaluate}) {
    GraphBuilder builder(mode);
    const ValueId x = builder.add_input("x", core::DType::kF32, {2, 3, 4, 4});
    (void)batch_norm(builder, x, "bn", {});
    const Graph& graph = builder.graph();
    const Node& node = graph.nodes().back();
    const std::vector<ValueId> buffers = graph.with_storage(Storage::kBuffer);
    ASSERT_EQ(buffers.size(), 2U);
    EXPECT_EQ(graph.value(buffers[0]).name, "bn.running_mean");
    EXPECT_EQ(graph.value(buffers[1]).name, "bn.running_var");
    if (mode == Mode::kTrain) {
      EXPECT_EQ(node.op, OpKind::kBatchNorm);
      EXPECT_EQ(node.updates, buffers);
    } else {
      EXPECT_EQ(node.op, OpKind::kBatchNormInference);
      EXPECT_TRUE(node.updates.empty());
      EXPECT_EQ((std::vector<ValueId>{node.inputs[3], node.inputs[4]}), buffers);
    }
  }
}

TEST(Dropout, DrawsAnotherMaskInEachLayerAndIsGoneInEvaluateMode) {
  GraphBuilder train(Mode::kTrain);
  ValueId x = train.add_input("x", core::DType::kF32, {2, 3});
  x = relu(train, x, "before");
  x = dropout(train, x, "a", 0.5F);
  x = relu(train, x, "between");
  (void)dropout(train, x, "b", 0.5F);
  // Other layers do not count: the masks stay when one is added.
  EXPECT_EQ(train.graph().nodes()[1].as<DropoutAttributes>().key, 0);
  EXPECT_EQ(train.graph().nodes()[3].as<DropoutAttributes>().key, 1);

  GraphBuilder evaluate(Mode::kEvaluate);
  const ValueId y = evaluate.add_input("x", core::DType::kF32, {2, 3});
  EXPECT_EQ(dropout(evaluate, y, "a", 0.5F), y);
  EXPECT_TRUE(evaluate.graph().nodes().empty());
}

TEST(Layers, RanksThatNoNetworkBuildsAreProgrammerErrors) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", core::DType::kF32, {2, 3});
  EXPECT_THROW((void)conv2d(builder, x, "conv", {}), core::CheckFailure);
  const ValueId image = builder.add_input("image", core::DType::kF32, {2, 3, 4, 4});
  EXPECT_THROW((void)linear(builder, image, "fc", {}), core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::graph
