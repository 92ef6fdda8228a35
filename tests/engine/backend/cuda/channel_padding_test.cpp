// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which values have padding lanes, what they cost, and that steps of the lowered networks neither
// read anything but zeros there nor change by a bit.
#include "engine/backend/cuda/channel_padding.h"

#include "engine/backend/cuda/conv_problem.h"
#include "engine/comm/self.h"
#include "engine/core/rng.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"
#include "engine/graph/layers.h"
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"
#include "tests/engine/backend/cuda/host_device.h"
#include "tests/engine/backend/step_comparison.h"
#include "tests/engine/graph/networks.h"
#include "workloads/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

namespace dlbench::backend::cuda {
namespace {

using core::DType;
using core::Shape;
using graph::GraphBuilder;
using graph::Node;
using graph::OpKind;
using graph::Value;
using graph::ValueId;
using Ids = std::vector<ValueId>;

Ids padded_values(const graph::Graph& graph, const Ids& keep = {}) {
  const ChannelPadding padding(graph, Fusion(graph, keep));
  Ids ids;
  for (const Value& value : graph.values()) {
    if (padding.padded(value.id)) {
      ids.push_back(value.id);
    }
  }
  return ids;
}

bool is_convolution(const Node& node) {
  return node.op == OpKind::kConv || node.op == OpKind::kConvBackwardData ||
         node.op == OpKind::kConvBackwardWeights;
}

/// The padded value that convolutions read as x: the 16-bit image.
ValueId padded_image(const graph::Graph& graph) {
  const ChannelPadding padding(graph, Fusion(graph, {}));
  for (const Node& node : graph.nodes()) {
    if (node.op == OpKind::kConv && padding.padded(node.inputs[0])) {
      return node.inputs[0];
    }
  }
  return graph::kNoValue;
}

graph::Graph workload_graph(const std::string& name,
                            DType precision,
                            const workloads::WorkloadParams& params = {},
                            graph::Mode mode = graph::Mode::kTrain) {
  const workloads::Workload& workload = workloads::find_workload(name);
  const workloads::BuiltWorkload built = workload.build(params, mode);
  return mode == graph::Mode::kTrain ? workloads::training_graph(workload.spec(), built, precision)
                                     : workloads::evaluation_graph(built, precision);
}

// ---- Which values ----

struct ImageOf {
  std::string workload;
  std::int64_t channels;
  std::size_t convolutions;  ///< that read the image

  /// The image, if a convolution reads it, and of each such convolution its weights.
  [[nodiscard]] std::size_t padded_in_evaluation() const {
    return convolutions == 0 ? 0 : 1 + convolutions;
  }
};

const std::vector<ImageOf> kImages = {{"mnist_cnn", 1, 1}, {"resunetpp", 3, 2}};

class ChannelPaddingOf : public ::testing::TestWithParam<ImageOf> {};

TEST_P(ChannelPaddingOf, ConvolutionsOverTheImageIn16Bits) {
  const ImageOf& image = GetParam();
  for (const DType precision : {DType::kBF16, DType::kF16}) {
    const graph::Graph graph = workload_graph(image.workload, precision);
    const ChannelPadding padding(graph, Fusion(graph, {}));
    // In training the gradients of the weights too.
    EXPECT_EQ(padded_values(graph).size(), image.padded_in_evaluation() + image.convolutions);
    std::size_t forward = 0;
    std::size_t weights = 0;
    for (const Node& node : graph.nodes()) {
      if (!is_convolution(node)) {
        continue;
      }
      const ConvProblem dense = conv_problem(graph, node, {});
      const ConvProblem seen = conv_problem(graph, node, padding);
      EXPECT_EQ(seen.y, dense.y);
      if (dense.x[1] != image.channels) {
        EXPECT_EQ(seen.text(), dense.text());
        continue;
      }
      EXPECT_EQ(seen.x, (std::vector{dense.x[0], Index{8}, dense.x[2], dense.x[3]}));
      EXPECT_EQ(seen.w, (std::vector{dense.w[0], Index{8}, dense.w[2], dense.w[3]}));
      forward += seen.direction == ConvDirection::kForward ? 1 : 0;
      weights += seen.direction == ConvDirection::kBackwardWeights ? 1 : 0;
    }
    EXPECT_EQ(forward, image.convolutions);
    EXPECT_EQ(weights, image.convolutions);
  }
}

TEST_P(ChannelPaddingOf, AnEvaluationToo) {
  const graph::Graph graph =
      workload_graph(GetParam().workload, DType::kBF16, {}, graph::Mode::kEvaluate);
  EXPECT_EQ(padded_values(graph).size(), GetParam().padded_in_evaluation());
}

TEST_P(ChannelPaddingOf, NothingInF32) {
  EXPECT_THAT(padded_values(workload_graph(GetParam().workload, DType::kF32)),
              ::testing::IsEmpty());
}

TEST_P(ChannelPaddingOf, NothingThatIsKept) {
  const graph::Graph graph = workload_graph(GetParam().workload, DType::kBF16);
  for (const ValueId id : padded_values(graph)) {
    EXPECT_THAT(padded_values(graph, {id}), ::testing::IsEmpty()) << graph.value(id).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads,
                         ChannelPaddingOf,
                         ::testing::ValuesIn(kImages),
                         [](const auto& test) { return test.param.workload; });

TEST(ChannelPadding, KnowsTheImagesOfAllWorkloads) {
  std::vector<std::string> known;
  for (const ImageOf& image : kImages) {
    known.push_back(image.workload);
  }
  EXPECT_THAT(workloads::workload_names(), ::testing::UnorderedElementsAreArray(known))
      << "add the new one to kImages";
}

/// A graph made by hand: bf16 copies of f32 inputs and parameters, and convolutions over them.
class Layers {
 public:
  ValueId copy(ValueId id) {
    return builder.add({.op = OpKind::kCast,
                        .name = builder.graph().value(id).name + "/bf16",
                        .attributes = graph::CastAttributes{DType::kBF16},
                        .inputs = {id}});
  }
  ValueId image(const std::string& name, std::int64_t channels) {
    return copy(builder.add_input(name, DType::kF32, {2, channels, 6, 5}));
  }
  ValueId parameter(const std::string& name, const Shape& shape, DType dtype = DType::kF32) {
    return builder.add_state(graph::Storage::kParameter, name, dtype, shape, {});
  }
  ValueId conv(const std::string& name, ValueId x, ValueId w, std::int64_t groups = 1) {
    return builder.add({.op = OpKind::kConv,
                        .name = name,
                        .attributes = graph::ConvAttributes{.groups = groups},
                        .inputs = {x, w}});
  }
  [[nodiscard]] std::size_t padded() const { return padded_values(builder.graph()).size(); }

  GraphBuilder builder{graph::Mode::kTrain};
};

TEST(ChannelPadding, OfAFamilyByHand) {
  Layers l;
  const ValueId x = l.image("x", 3);
  l.conv("a", x, l.copy(l.parameter("wa", {16, 3, 3, 3})));
  EXPECT_EQ(l.padded(), 2U);
  l.conv("b", x, l.copy(l.parameter("wb", {4, 3, 1, 1})));
  EXPECT_EQ(l.padded(), 3U);
  // Two packs: nine channels are sixteen.
  const ValueId y = l.image("y", 9);
  l.conv("c", y, l.copy(l.parameter("wc", {16, 9, 3, 3})));
  EXPECT_EQ(l.padded(), 5U);
  const graph::Graph& graph = l.builder.graph();
  const ChannelPadding padding(graph, Fusion(graph, {}));
  EXPECT_EQ(padding.layout(graph.value(y)).stride, 16);
  EXPECT_EQ(padding.layout(graph.value(y)).channels, 9);
}

TEST(ChannelPadding, IsNotNeededForMultiplesOfEight) {
  Layers l;
  l.conv("conv", l.image("x", 16), l.copy(l.parameter("w", {4, 16, 3, 3})));
  EXPECT_EQ(l.padded(), 0U);
}

TEST(ChannelPadding, IsNotForGroups) {
  Layers l;
  l.conv("conv", l.image("x", 3), l.copy(l.parameter("w", {6, 1, 3, 3})), 3);
  EXPECT_EQ(l.padded(), 0U);
}

TEST(ChannelPadding, IsNotForWeightsThatAreTheParameters) {
  Layers l;
  l.conv("conv", l.image("x", 3), l.parameter("w", {4, 3, 3, 3}, DType::kBF16));
  EXPECT_EQ(l.padded(), 0U);
}

TEST(ChannelPadding, IsNotForInputsAsTheyCome) {
  Layers l;
  const ValueId x = l.builder.add_input("x", DType::kBF16, {2, 3, 6, 5});
  l.conv("conv", x, l.copy(l.parameter("w", {4, 3, 3, 3})));
  EXPECT_EQ(l.padded(), 0U);
}

TEST(ChannelPadding, IsNotForOutputs) {
  Layers l;
  const ValueId x = l.image("x", 3);
  const ValueId w = l.copy(l.parameter("w", {4, 3, 3, 3}));
  l.conv("conv", x, w);
  ASSERT_EQ(l.padded(), 2U);
  EXPECT_THAT(padded_values(l.builder.graph(), {w}), ::testing::IsEmpty());
  l.builder.mark_output("seen", x);
  EXPECT_EQ(l.padded(), 0U);
}

TEST(ChannelPadding, IsNotWhereSomethingElseReadsTheImage) {
  for (const bool weight : {false, true}) {
    Layers l;
    const ValueId x = l.image("x", 3);
    const ValueId w = l.copy(l.parameter("w", {4, 3, 3, 3}));
    l.conv("conv", x, w);
    ASSERT_EQ(l.padded(), 2U);
    l.builder.add({.op = OpKind::kRelu, .name = "relu", .inputs = {weight ? w : x}});
    EXPECT_EQ(l.padded(), 0U) << "a reader of " << (weight ? "w" : "x");
  }
}

TEST(ChannelPadding, IsNotForWeightsThatMeetTwoImages) {
  Layers l;
  const ValueId w = l.copy(l.parameter("w", {4, 3, 3, 3}));
  l.conv("a", l.image("x", 3), w);
  ASSERT_EQ(l.padded(), 2U);
  l.conv("b", l.image("y", 3), w);
  EXPECT_EQ(l.padded(), 0U);
}

/// What differentiate() makes of a network over `x`, f32, in bf16.
template <typename Network>
std::size_t padded_in_training(const Network& network) {
  GraphBuilder b(graph::Mode::kTrain);
  const ValueId mask = b.add_input("mask", DType::kU8, {2, 6, 5});
  const ValueId head = graph::conv2d(b, network(b), "head", {.channels_out = 1, .kernel = 1});
  const ValueId prediction = graph::sigmoid(b, head, "prediction");
  b.mark_output("loss", graph::dice_loss(b, prediction, mask, "loss", 1.0F));
  const graph::Graph forward = graph::mixed_precision(std::move(b).finish(), DType::kBF16);
  return padded_values(graph::differentiate(forward, forward.outputs().at("loss"))).size();
}

TEST(ChannelPadding, IsNotWhereTheGradientOfTheImageIsWanted) {
  const auto image = [](GraphBuilder& b) {
    return graph::normalize_image(
        b, b.add_input("image", DType::kU8, {2, 6, 5, 3}), "image_f32", {});
  };
  const auto layer = [](GraphBuilder& b, ValueId x) {
    return graph::conv2d(b, x, "conv", {.channels_out = 8});
  };
  EXPECT_EQ(padded_in_training([&](GraphBuilder& b) { return layer(b, image(b)); }), 3U);
  // A batch norm in f32 before it: its copy is made by a cast too, but it has parameters.
  EXPECT_EQ(padded_in_training([&](GraphBuilder& b) {
              return layer(b, graph::batch_norm(b, image(b), "bn", {}));
            }),
            0U);
}

// ---- Steps on the host ----

/// Steps of a training graph on inputs that depend on their shapes alone.
class Session {
 public:
  Session(Backend& device, const graph::Graph& graph, const Ids& keep = {})
      : state_(device, graph, 1), executor_(device, state_, self_, graph, options(keep)) {
    core::RandomStream random(3, 5);
    for (const ValueId id : graph.inputs()) {
      const Value& value = graph.value(id);
      core::HostTensor& tensor = inputs_.emplace_back(value.dtype, value.shape);
      for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        tensor.set(i, random.below(value.shape.rank() == 4 ? 256 : 2));
      }
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      executor_.bind_input(
          graph.value(graph.inputs()[i]).name, inputs_[i].data(), inputs_[i].bytes());
    }
    if (state_.contains("loss_scale")) {
      state_.set_scalar("loss_scale", 256.0);  // of the first one every gradient overflows
    }
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      executor_.run();
      executor_.synchronize();
    }
  }
  [[nodiscard]] Tensors results() {
    Tensors results = state_.export_tensors({graph::Storage::kParameter,
                                             graph::Storage::kGradient,
                                             graph::Storage::kOptimizerState,
                                             graph::Storage::kBuffer});
    results.emplace("loss", executor_.read("loss"));
    results.emplace("prediction", executor_.read("prediction"));
    return results;
  }
  [[nodiscard]] exec::Executor& executor() { return executor_; }

 private:
  static exec::ExecutorOptions options(const Ids& keep) {
    exec::ExecutorOptions options;
    options.lowering.autotune = false;
    options.lowering.keep = keep;
    return options;
  }

  comm::SelfCommunicator self_;
  exec::ModelState state_;
  exec::Executor executor_;
  std::vector<core::HostTensor> inputs_;
};

void expect_same_bits(const Tensors& seen, const Tensors& wanted) {
  ASSERT_EQ(seen.size(), wanted.size());
  for (const auto& [name, tensor] : wanted) {
    EXPECT_EQ(std::memcmp(seen.at(name).data(), tensor.data(), tensor.bytes()), 0) << name;
  }
}

/// Small enough for a few seconds of convolutions in double.
graph::Graph small_step(const std::string& workload, DType precision) {
  return workload == "mnist_cnn" ? workload_graph(workload, precision, {2, 28})
                                 : workload_graph(workload, precision, {2, 8});
}

TEST(ChannelPaddingOnHost, ChangesNoBitOfAStep) {
  for (const std::string workload : {"mnist_cnn", "resunetpp"}) {
    for (const DType precision : {DType::kBF16, DType::kF16}) {
      const graph::Graph graph = small_step(workload, precision);
      HostDevice device;
      Session padded(device, graph);
      padded.run(1);
      Session dense(device, graph, {padded_image(graph)});
      dense.run(1);
      const Tensors results = padded.results();
      EXPECT_TRUE(std::isfinite(results.at("loss").at(0))) << workload;
      expect_same_bits(results, dense.results());
    }
  }
}

/// Counts the lanes behind `channels` that are not zero, and makes them NaN.
int spoil_lanes(void* memory, const std::vector<std::int64_t>& extents, Index channels) {
  auto* elements = static_cast<std::uint16_t*>(memory);
  const Index all = std::accumulate(extents.begin(), extents.end(), Index{1}, std::multiplies<>());
  int not_zero = 0;
  for (Index row = 0; row < all; row += extents[1]) {
    for (Index lane = channels; lane < extents[1]; ++lane) {
      not_zero += elements[row + lane] != 0 ? 1 : 0;
      elements[row + lane] = 0xFFFF;
    }
  }
  return not_zero;
}

TEST(ChannelPaddingOnHost, LanesAreZeroInEveryStepWhateverTheMemoryHeld) {
  constexpr int kSteps = 3;
  for (const DType precision : {DType::kBF16, DType::kF16}) {
    const graph::Graph step = graph::testing::training_step(
        graph::mixed_precision(graph::testing::small_unet(graph::Mode::kTrain, 2, 8), precision),
        {.kind = graph::OptimizerKind::kAdam});
    int convolutions = 0;
    // Whoever has read the lanes leaves NaN there: x after its last reader, w after its only one,
    // dw before its cast.
    HostDevice device([&](const ConvProblem& problem, const ContractionCall& call) {
      const bool first = problem.w == std::vector<std::int64_t>{4, 8, 3, 3};
      if (!first) {
        return;
      }
      ++convolutions;
      EXPECT_EQ(spoil_lanes(call.w, problem.w, 3), 0) << problem.text();
      if (problem.direction == ConvDirection::kBackwardWeights) {
        EXPECT_EQ(spoil_lanes(call.x, problem.x, 3), 0) << problem.text();
      }
    });
    Session padded(device, step);
    padded.run(kSteps);
    EXPECT_EQ(convolutions, 2 * kSteps) << "forward and the weights' gradient in each step";
    HostDevice plain;
    Session dense(plain, step, {padded_image(step)});
    dense.run(kSteps);
    const Tensors results = padded.results();
    EXPECT_TRUE(std::isfinite(results.at("loss").at(0)));
    expect_same_bits(results, dense.results());
  }
}

SlotId slot_of(const LoweredGraph& lowered, ValueId value) {
  return lowered.slot_of_value.at(static_cast<std::size_t>(value));
}

const Slot& slot_at(const LoweredGraph& lowered, ValueId value) {
  return lowered.slots.at(static_cast<std::size_t>(slot_of(lowered, value)));
}

/// Sums over the lowered nodes.
graph::Cost cost_of(const LoweredGraph& lowered) {
  graph::Cost sum;
  for (const LoweredNode& node : lowered.nodes) {
    sum.macs += node.cost.macs;
    sum.flop += node.cost.flop;
    sum.bytes += node.cost.bytes;
  }
  return sum;
}

TEST(ChannelPaddingOnHost, IsInThePlanButNotInTheWork) {
  const graph::Graph graph = workload_graph("resunetpp", DType::kBF16, {2, 32});
  const ValueId image = padded_image(graph);
  HostDevice device;
  Session padded(device, graph);
  Session dense(device, graph, {image});
  const LoweredGraph& lowered = padded.executor().lowered();

  for (const ValueId id : padded_values(graph)) {
    const Value& value = graph.value(id);
    const Slot& slot = slot_at(lowered, id);
    EXPECT_EQ(slot.layout, "nhwc8") << value.name;
    EXPECT_EQ(slot.bytes, static_cast<std::size_t>(value.shape.elements() / 3 * 8 * 2));
    const auto& placements = padded.executor().plan().placements;
    EXPECT_TRUE(std::any_of(placements.begin(), placements.end(), [&](const auto& placement) {
      return placement.slot == slot_of(lowered, id) && placement.bytes == slot.bytes;
    })) << value.name;
  }
  const LoweredGraph& plain = dense.executor().lowered();
  EXPECT_EQ(slot_at(plain, image).layout, "nhwc");
  EXPECT_EQ(slot_at(plain, image).bytes, std::size_t{2 * 32 * 32 * 3 * 2});

  EXPECT_EQ(cost_of(lowered).macs, cost_of(plain).macs);
  EXPECT_EQ(cost_of(lowered).flop, cost_of(plain).flop);
  EXPECT_EQ(cost_of(lowered).bytes, cost_of(plain).bytes);
  int over_image = 0;
  for (const LoweredNode& node : lowered.nodes) {
    if (node.op == OpKind::kConv && node.reads[0] == slot_of(lowered, image)) {
      const Shape& weight = graph.value(graph.node(node.covers[0]).inputs[1]).shape;
      EXPECT_EQ(node.cost.macs, 2 * 32 * 32 * weight.elements()) << node.name;
      ++over_image;
    }
  }
  EXPECT_EQ(over_image, 2);
}

TEST(ChannelPaddingOnHost, IsNoLayoutOfStateAndRefusesToBeExported) {
  const graph::Graph graph = workload_graph("mnist_cnn", DType::kBF16, {2, 28});
  HostDevice device;
  for (const auto storage : {graph::Storage::kParameter, graph::Storage::kGradient}) {
    for (const ValueId id : graph.with_storage(storage)) {
      const Value& value = graph.value(id);
      EXPECT_EQ(device.state_layout(value).bytes,
                static_cast<std::size_t>(value.shape.elements()) * core::size_of(value.dtype));
    }
  }
  Session session(device, graph);
  session.run(1);
  const ValueId image = padded_image(graph);
  EXPECT_THROW(static_cast<void>(session.executor().read(image)), core::CheckFailure);
  Session keeping(device, graph, {image});
  keeping.run(1);
  EXPECT_EQ(keeping.executor().read(image).shape(), (Shape{2, 1, 28, 28}));
}

}  // namespace
}  // namespace dlbench::backend::cuda
