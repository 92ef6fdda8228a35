// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph_builder.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/graph/layers.h"
#include "engine/graph/op_def.h"
#include "tests/engine/graph/networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kF32 = core::DType::kF32;

void expect_valid(const Graph& graph) {
  std::set<std::string> names;
  for (const Value& value : graph.values()) {
    EXPECT_TRUE(names.insert(value.name).second) << value.name;
    EXPECT_EQ(graph.find(value.name), value.id) << value.name;
    EXPECT_EQ(&graph.value(value.id), &graph.values().at(static_cast<std::size_t>(value.id)));
  }
  for (std::size_t index = 0; index < graph.nodes().size(); ++index) {
    const Node& node = graph.nodes()[index];
    EXPECT_EQ(node.id, static_cast<NodeId>(index));
    EXPECT_LT(node.forward, node.id) << node.name;
    for (const ValueId id : node.inputs) {
      EXPECT_LT(graph.value(id).producer, node.id) << node.name;
    }
    for (const ValueId id : node.outputs) {
      EXPECT_EQ(graph.value(id).producer, node.id) << node.name;
    }
  }
}

TEST(Graph, EveryPassKeepsNamesUniqueAndTheOrderValid) {
  for (const Mode mode : {Mode::kTrain, Mode::kEvaluate}) {
    expect_valid(testing::small_unet(mode, 2, 8));
    expect_valid(testing::small_classifier(mode, 2));
  }
  for (const auto& forward :
       {testing::small_unet(Mode::kTrain, 2, 8), testing::small_classifier(Mode::kTrain, 2)}) {
    const Graph mixed = mixed_precision(forward, core::DType::kBF16);
    expect_valid(mixed);
    for (const Graph* network : {&forward, &mixed}) {
      expect_valid(differentiate(*network, network->outputs().at("loss")));
      expect_valid(testing::training_step(
          *network, {.kind = OptimizerKind::kNadam}, {.first_cap_bytes = 64, .cap_bytes = 256}));
    }
  }
}

TEST(Graph, ReadersListsEachReaderOnce) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", kF32, {2, 3});
  (void)multiply(builder, x, x, "square");
  (void)relu(builder, x, "relu");
  EXPECT_THAT(builder.graph().readers().at(static_cast<std::size_t>(x)), ElementsAre(0, 1));
}

TEST(Graph, BuildsTheSameHashTwice) {
  EXPECT_EQ(testing::small_unet(Mode::kTrain, 2, 8).hash(),
            testing::small_unet(Mode::kTrain, 2, 8).hash());
  EXPECT_NE(testing::small_unet(Mode::kTrain, 2, 8).hash(),
            testing::small_unet(Mode::kTrain, 3, 8).hash());
  EXPECT_NE(testing::small_unet(Mode::kTrain, 2, 8).hash(),
            testing::small_unet(Mode::kEvaluate, 2, 8).hash());
}

// One graph per family of attributes; `edit` changes one field, every edit must change the hash.
template <typename T>
void expect_hash_sees(const std::function<void(GraphBuilder&, const T&)>& build,
                      const std::vector<std::function<void(T&)>>& edits,
                      const T& base = T{}) {
  const auto hash_of = [&](const T& attributes) {
    GraphBuilder builder(Mode::kTrain);
    build(builder, attributes);
    return std::move(builder).finish().hash();
  };
  std::set<std::uint64_t> hashes{hash_of(base)};
  for (const auto& edit : edits) {
    T changed = base;
    edit(changed);
    hashes.insert(hash_of(changed));
  }
  EXPECT_EQ(hashes.size(), edits.size() + 1);
}

template <typename T>
std::function<void(GraphBuilder&, const T&)> unary(OpKind op, core::DType dtype) {
  return [op, dtype](GraphBuilder& builder, const T& attributes) {
    const ValueId x = builder.add_input("x", dtype, {2, 6, 6, 6});
    builder.add({.op = op, .name = "y", .attributes = attributes, .inputs = {x}});
  };
}

TEST(GraphHash, SeesEveryConvAttribute) {
  expect_hash_sees<ConvAttributes>(
      [](GraphBuilder& builder, const ConvAttributes& attributes) {
        const ValueId x = builder.add_input("x", kF32, {1, 4, 9, 9});
        const std::int64_t channels = 4 / attributes.groups;
        const ValueId w =
            builder.add_state(Storage::kParameter, "w", kF32, {4, channels, 2, 2}, {});
        builder.add({.op = OpKind::kConv, .name = "y", .attributes = attributes, .inputs = {x, w}});
      },
      {[](ConvAttributes& a) { a.stride[0] = 2; },
       [](ConvAttributes& a) { a.stride[1] = 2; },
       [](ConvAttributes& a) { a.dilation[0] = 3; },
       [](ConvAttributes& a) { a.dilation[1] = 3; },
       [](ConvAttributes& a) { a.pad_begin[0] = 1; },
       [](ConvAttributes& a) { a.pad_begin[1] = 1; },
       [](ConvAttributes& a) { a.pad_end[0] = 1; },
       [](ConvAttributes& a) { a.pad_end[1] = 1; },
       [](ConvAttributes& a) { a.groups = 2; }});
}

TEST(GraphHash, SeesConvAttributesThatTheShapeDoesNotShow) {
  expect_hash_sees<ConvAttributes>(
      [](GraphBuilder& builder, const ConvAttributes& attributes) {
        const ValueId x = builder.add_input("x", kF32, {1, 4, 8, 8});
        const ValueId w = builder.add_state(Storage::kParameter, "w", kF32, {4, 4, 2, 2}, {});
        const ValueId y = builder.add(
            {.op = OpKind::kConv, .name = "y", .attributes = attributes, .inputs = {x, w}});
        EXPECT_EQ(builder.graph().value(y).shape, (core::Shape{1, 4, 2, 2}));
      },
      {[](ConvAttributes& a) { a.dilation[0] = 3; },
       [](ConvAttributes& a) { a.dilation[1] = 3; },
       [](ConvAttributes& a) { a.pad_begin[0] = 1; },
       [](ConvAttributes& a) { a.pad_end[0] = 1; },
       [](ConvAttributes& a) { a.pad_end[1] = 1; }},
      {.stride = {4, 4, 1}});
}

TEST(GraphHash, SeesEveryConvTransposeAttribute) {
  expect_hash_sees<ConvTransposeAttributes>(
      [](GraphBuilder& builder, const ConvTransposeAttributes& attributes) {
        const ValueId x = builder.add_input("x", kF32, {1, 4, 9, 9});
        const ValueId w = builder.add_state(Storage::kParameter, "w", kF32, {4, 2, 2, 2}, {});
        builder.add({.op = OpKind::kConvTranspose,
                     .name = "y",
                     .attributes = attributes,
                     .inputs = {x, w}});
      },
      {[](ConvTransposeAttributes& a) { a.conv.dilation[1] = 3; },
       [](ConvTransposeAttributes& a) { a.conv.groups = 2; },
       [](ConvTransposeAttributes& a) { a.output_padding[0] = 1; },
       [](ConvTransposeAttributes& a) { a.output_padding[1] = 1; }},
      {.conv = {.stride = {2, 2, 1}}, .output_padding = {0, 0, 0}});
}

TEST(GraphHash, SeesEveryOtherAttribute) {
  expect_hash_sees<PoolAttributes>(
      unary<PoolAttributes>(OpKind::kMaxPool, kF32),
      {[](PoolAttributes& a) { a.kernel[0] = 2; }, [](PoolAttributes& a) { a.stride[1] = 2; }});
  expect_hash_sees<UpsampleAttributes>(unary<UpsampleAttributes>(OpKind::kUpsampleNearest, kF32),
                                       {[](UpsampleAttributes& a) { a.factor[0] = 2; },
                                        [](UpsampleAttributes& a) { a.factor[1] = 2; }});
  expect_hash_sees<SliceAttributes>(
      unary<SliceAttributes>(OpKind::kSlice, kF32),
      {[](SliceAttributes& a) { a.begin = 1; }, [](SliceAttributes& a) { a.extent = 2; }},
      {.begin = 0, .extent = 1});
  expect_hash_sees<CastAttributes>(unary<CastAttributes>(OpKind::kCast, kF32),
                                   {[](CastAttributes& a) { a.dtype = core::DType::kBF16; }});
  expect_hash_sees<ReshapeAttributes>(unary<ReshapeAttributes>(OpKind::kReshape, kF32),
                                      {[](ReshapeAttributes& a) {
                                        a.shape = core::Shape{2, 216};
                                      }},
                                      {core::Shape{432}});
  expect_hash_sees<NormalizeAttributes>(
      unary<NormalizeAttributes>(OpKind::kNormalizeImage, core::DType::kU8),
      {[](NormalizeAttributes& a) { a.scale = 1.0F; },
       [](NormalizeAttributes& a) { a.mean.assign(6, 0.5F); },
       [](NormalizeAttributes& a) { a.stddev.assign(6, 0.5F); }});
}

TEST(GraphHash, SeesAttributesThatShapesDoNotShow) {
  expect_hash_sees<BatchNormAttributes>(
      [](GraphBuilder& builder, const BatchNormAttributes& attributes) {
        batch_norm(builder, builder.add_input("x", kF32, {2, 3, 4, 4}), "bn", attributes);
      },
      {[](BatchNormAttributes& a) { a.momentum = 0.99F; },
       [](BatchNormAttributes& a) { a.epsilon = 1e-3F; }});
  expect_hash_sees<DropoutAttributes>(
      [](GraphBuilder& builder, const DropoutAttributes& attributes) {
        const ValueId x = builder.add_input("x", kF32, {2, 3});
        builder.add({.op = OpKind::kDropout,
                     .name = "y",
                     .attributes = attributes,
                     .inputs = {x,
                                builder.scalar("seed", core::DType::kI64, 1),
                                builder.scalar("step", core::DType::kI64, 0),
                                builder.scalar("first_sample", core::DType::kI64, 0)}});
      },
      {[](DropoutAttributes& a) { a.rate = 0.1F; }, [](DropoutAttributes& a) { a.key = 1; }});
  expect_hash_sees<DiceAttributes>(
      [](GraphBuilder& builder, const DiceAttributes& attributes) {
        const ValueId p = builder.add_input("p", kF32, {2, 1, 4, 4});
        const ValueId mask = builder.add_input("mask", core::DType::kU8, {2, 4, 4});
        dice_loss(builder, p, mask, "loss", attributes.smooth);
      },
      {[](DiceAttributes& a) { a.smooth = 2.0F; }});
  expect_hash_sees<ThresholdAttributes>(
      [](GraphBuilder& builder, const ThresholdAttributes& attributes) {
        const ValueId p = builder.add_input("p", kF32, {2, 1, 4, 4});
        const ValueId mask = builder.add_input("mask", core::DType::kU8, {2, 4, 4});
        segmentation_counts(builder, p, mask, "counts", attributes.threshold);
      },
      {[](ThresholdAttributes& a) { a.threshold = 0.4F; }});
  expect_hash_sees<OptimizerAttributes>(
      [](GraphBuilder& builder, const OptimizerAttributes& attributes) {
        const Graph forward = testing::small_classifier(Mode::kTrain, 2);
        builder = GraphBuilder(testing::training_step(
            forward, {.kind = OptimizerKind::kAdam, .attributes = attributes}));
      },
      {[](OptimizerAttributes& a) { a.beta1 = 0.8; },
       [](OptimizerAttributes& a) { a.beta2 = 0.99; },
       [](OptimizerAttributes& a) { a.epsilon = 1e-8; },
       [](OptimizerAttributes& a) { a.rho = 0.95; },
       [](OptimizerAttributes& a) { a.momentum = 0.5; },
       [](OptimizerAttributes& a) { a.weight_decay = 1e-4; }});
}

TEST(GraphHash, SeesBucketsAndEdges) {
  const Graph forward = testing::small_classifier(Mode::kTrain, 2);
  const Graph backward = differentiate(forward, forward.outputs().at("loss"));
  EXPECT_NE(insert_all_reduce(backward, {}).hash(),
            insert_all_reduce(backward, {.first_cap_bytes = 1, .cap_bytes = 1}).hash());
  const auto concat_of = [](bool swapped) {
    GraphBuilder builder(Mode::kTrain);
    const ValueId a = builder.add_input("a", kF32, {2, 3});
    const ValueId b = builder.add_input("b", kF32, {2, 3});
    concat(builder, swapped ? std::vector{b, a} : std::vector{a, b}, "y");
    return std::move(builder).finish().hash();
  };
  EXPECT_NE(concat_of(false), concat_of(true));
  const auto batch_norm_of = [](bool swapped) {
    GraphBuilder builder(Mode::kTrain);
    const ValueId x = builder.add_input("x", kF32, {2, 3, 4, 4});
    const auto channels = [&builder](Storage storage, const char* name) {
      return builder.add_state(storage, name, kF32, {3}, {});
    };
    const ValueId gamma = channels(Storage::kParameter, "gamma");
    const ValueId beta = channels(Storage::kParameter, "beta");
    const ValueId mean = channels(Storage::kBuffer, "mean");
    const ValueId variance = channels(Storage::kBuffer, "variance");
    builder.add_node(
        {.op = OpKind::kBatchNorm,
         .name = "bn",
         .attributes = BatchNormAttributes{},
         .inputs = {x, gamma, beta},
         .updates = swapped ? std::vector{variance, mean} : std::vector{mean, variance}});
    return std::move(builder).finish().hash();
  };
  EXPECT_NE(batch_norm_of(false), batch_norm_of(true));
}

TEST(GraphHash, SeesTheModeAndTypesOfValues) {
  const auto relu_of = [](Mode mode, core::DType dtype) {
    GraphBuilder builder(mode);
    (void)relu(builder, builder.add_input("x", dtype, {2, 3}), "y");
    return std::move(builder).finish().hash();
  };
  EXPECT_NE(relu_of(Mode::kTrain, kF32), relu_of(Mode::kEvaluate, kF32));
  EXPECT_NE(relu_of(Mode::kTrain, kF32), relu_of(Mode::kTrain, core::DType::kBF16));
}

TEST(GraphBuilder, TwoValuesOfOneNameAreAProgrammerError) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", kF32, {2, 3});
  EXPECT_THROW((void)builder.add_input("x", kF32, {2, 3}), core::CheckFailure);
  (void)relu(builder, x, "y");
  EXPECT_THROW((void)relu(builder, x, "y"), core::CheckFailure);
  EXPECT_EQ(builder.unique_name("y"), "y_1");
  EXPECT_EQ(builder.unique_name("z"), "z");
}

TEST(GraphBuilder, AScalarIsMadeOnce) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId seed = builder.scalar("seed", core::DType::kI64, 1);
  EXPECT_EQ(builder.scalar("seed", core::DType::kI64, 7), seed);
  EXPECT_EQ(builder.graph().value(seed).initializer.value, 1.0);
  EXPECT_THROW((void)builder.scalar("seed", kF32, 1), core::CheckFailure);
}

// a -> b -> c beside d.
struct Chain {
  GraphBuilder builder{Mode::kTrain};
  Chain() {
    const ValueId x = builder.add_input("x", kF32, {2, 3});
    const ValueId a = relu(builder, x, "a");
    const ValueId b = sigmoid(builder, a, "b");
    (void)add(builder, a, b, "c");
    (void)relu(builder, x, "d");
  }
};

TEST(GraphBuilder, ReorderMovesNodesAndKeepsEdges) {
  Chain chain;
  chain.builder.reorder({3, 0, 1, 2});
  const Graph& graph = chain.builder.graph();
  expect_valid(graph);
  EXPECT_EQ(graph.node(0).name, "d");
  EXPECT_EQ(graph.node(3).name, "c");
  EXPECT_EQ(graph.value(*graph.find("c")).producer, 3);
}

TEST(GraphBuilder, ReorderRefusesAnOrderThatCannotRun) {
  EXPECT_THROW(Chain().builder.reorder({1, 0, 2, 3}), core::CheckFailure);
  EXPECT_THROW(Chain().builder.reorder({0, 1, 2}), core::CheckFailure);
  EXPECT_THROW(Chain().builder.reorder({0, 1, 2, 2}), core::CheckFailure);
  EXPECT_THROW(Chain().builder.reorder({3, 3, 3, 3}), core::CheckFailure);
}

TEST(GraphBuilder, ReorderKeepsTheForwardNodeOfABackwardNode) {
  const Graph forward = testing::small_classifier(Mode::kTrain, 2);
  const Graph before = differentiate(forward, forward.outputs().at("loss"));
  const Graph after = insert_all_reduce(before, {.first_cap_bytes = 1, .cap_bytes = 1});
  for (const Node& node : after.nodes()) {
    if (node.forward != kNoNode) {
      EXPECT_EQ(node.name.rfind(after.node(node.forward).name + "/", 0), 0U) << node.name;
    }
  }
}

TEST(GraphBuilder, ReorderFollowsForwardNodesThatMove) {
  GraphBuilder forward(Mode::kTrain);
  const ValueId x = forward.add_input("x", kF32, {2, 4});
  const ValueId label = forward.add_input("label", core::DType::kI32, {2});
  (void)relu(forward, x, "aside");
  const ValueId logp = log_softmax(forward, linear(forward, x, "fc", {.features_out = 3}), "logp");
  const ValueId loss = nll_loss(forward, logp, label, "loss");
  GraphBuilder builder(differentiate(std::move(forward).finish(), loss));
  std::vector<NodeId> order(builder.graph().nodes().size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 1, order.end());
  builder.reorder(order);
  int backward = 0;
  for (const Node& node : builder.graph().nodes()) {
    if (node.forward != kNoNode) {
      ++backward;
      EXPECT_EQ(node.name.rfind(builder.graph().node(node.forward).name + "/", 0), 0U) << node.name;
    }
  }
  EXPECT_EQ(backward, 3);
}

TEST(OpTable, HasOneNamedRowForEachOp) {
  std::set<std::string_view> names;
  for (const OpDef& row : all_op_defs()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(row.infer, nullptr) << row.name;
    EXPECT_NE(row.cost, nullptr) << row.name;
    EXPECT_EQ(op_def(row.kind).name, row.name);
  }
  EXPECT_EQ(names.size(), kOpCount);
}

}  // namespace
}  // namespace dlbench::graph
