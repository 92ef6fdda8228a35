// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/emission.h"

#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"
#include "engine/graph/op_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace dlbench::backend {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kElements = 2 * 2 * 3 * 3;
constexpr std::int64_t kFloat = 4;

/// relu and relu again of half the channels of an input; slots are the graph's values.
struct Halved {
  graph::Graph graph;
  std::vector<Slot> slots;

  static Halved make() {
    graph::GraphBuilder builder(graph::Mode::kTrain);
    const graph::ValueId x = builder.add_input("x", core::DType::kF32, {2, 4, 3, 3});
    const graph::ValueId half = graph::slice(builder, x, "half", {.begin = 2, .extent = 2});
    const graph::ValueId first = graph::relu(builder, half, "first");
    builder.mark_output("y", graph::relu(builder, first, "second"));
    Halved halved{std::move(builder).finish(), {}};
    for (const graph::Node& node : halved.graph.nodes()) {
      for (const graph::ValueId value : node.inputs) {
        halved.add(value);
      }
      for (const graph::ValueId value : node.outputs) {
        halved.add(value);
      }
    }
    return halved;
  }
  void add(graph::ValueId value) {
    const auto index = static_cast<std::size_t>(value);
    slots.resize(std::max(slots.size(), index + 1));
    slots[index].value = value;
    slots[index].bytes = graph.value(value).dense_bytes();
  }
  [[nodiscard]] const graph::Node& node(const char* name) const {
    for (const graph::Node& each : graph.nodes()) {
      if (each.name == name) {
        return each;
      }
    }
    throw std::out_of_range(name);
  }
  [[nodiscard]] LoweredNode lower(Emission emission) const {
    return make_lowered_node(graph, slots, std::move(emission), graph::Phase::kForward);
  }
};

TEST(Emission, CountsWhatItsNodesRead) {
  const Halved halved = Halved::make();
  const graph::Node& first = halved.node("first");
  const LoweredNode lowered = halved.lower({.covers = {first.id}});
  EXPECT_EQ(lowered.cost.bytes, 2 * kElements * kFloat);
  EXPECT_EQ(lowered.name, "first");
  EXPECT_FALSE(lowered.is_reorder);
}

// The view moves nothing, whoever does what comes behind it.
TEST(Emission, NoBytesOfAView) {
  const Halved halved = Halved::make();
  const graph::Node& view = halved.node("half");
  const graph::Node& first = halved.node("first");
  ASSERT_GT(graph::op_def(view.op).cost(halved.graph, view).bytes, 0);
  const LoweredNode lowered = halved.lower({.covers = {first.id}, .absorbed = {view.id}});
  EXPECT_EQ(lowered.cost.bytes, 2 * kElements * kFloat);
  EXPECT_THAT(lowered.covers, ElementsAre(first.id, view.id));
}

TEST(Emission, WhatIsHandedOnStaysInRegisters) {
  const Halved halved = Halved::make();
  const graph::Node& first = halved.node("first");
  const graph::Node& second = halved.node("second");
  const LoweredNode lowered = halved.lower({.covers = {first.id, second.id},
                                            .reads = {first.inputs.front()},
                                            .writes = {second.outputs.front()}});
  EXPECT_EQ(lowered.cost.bytes, 2 * kElements * kFloat);
  const LoweredNode alone = halved.lower({.covers = {first.id}});
  EXPECT_EQ(lowered.cost.flop, 2 * alone.cost.flop);
}

// It covers nothing, but bytes are what it is about: those of the value and, where the copy is
// padded or of another type, more or fewer.
TEST(Emission, AReorderMovesWhatItReadsAndWrites) {
  Halved halved = Halved::make();
  const SlotId from = halved.node("first").inputs.front();
  const auto to = static_cast<SlotId>(halved.slots.size());
  halved.slots.push_back({.bytes = 3 * kElements * kFloat});
  const LoweredNode lowered = halved.lower({.name = "first.x", .reads = {from}, .writes = {to}});
  EXPECT_TRUE(lowered.is_reorder);
  EXPECT_TRUE(lowered.covers.empty());
  EXPECT_EQ(lowered.cost.bytes, 4 * kElements * kFloat);
  EXPECT_EQ(lowered.cost.flop, 0);
}

// A kernel without 16 bits reads and writes copies of twice the size.
TEST(Emission, CountsTheCopiesThatAKernelWorksOn) {
  Halved halved = Halved::make();
  const graph::Node& first = halved.node("first");
  const auto copy = static_cast<SlotId>(halved.slots.size());
  halved.slots.push_back({.bytes = 2 * kElements * kFloat});
  const LoweredNode lowered =
      halved.lower({.covers = {first.id}, .reads = {copy}, .writes = {first.outputs.front()}});
  EXPECT_EQ(lowered.cost.bytes, 3 * kElements * kFloat);
}

}  // namespace
}  // namespace dlbench::backend
