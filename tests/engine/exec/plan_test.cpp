// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/plan.h"

#include "engine/backend/backend.h"
#include "engine/core/check.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"
#include "tests/engine/exec/slot_liveness.h"
#include "tests/engine/graph/networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

using backend::LoweredNode;
using backend::NodeStream;
using backend::Slot;
using backend::SlotId;
using graph::Storage;
using testing::check_slots;
using ::testing::HasSubstr;

class HandMadeLowering final : public backend::LoweredGraph {
 public:
  void export_value(graph::ValueId /*value*/,
                    const std::byte* /*physical*/,
                    core::HostTensor& /*logical*/) const override {}
};

/// A graph of `values` values in a chain, of which the test places slots and nodes by hand: value i
/// lives in slot i.
class PlanTest : public ::testing::Test {
 protected:
  SlotId add_slot(std::size_t bytes, Storage storage = Storage::kActivation) {
    const auto value = static_cast<graph::ValueId>(lowered_.slots.size());
    lowered_.slots.push_back(
        {.value = value, .storage = storage, .bytes = bytes, .layout = "plain"});
    lowered_.slot_of_value.push_back(value);
    return static_cast<SlotId>(value);
  }
  SlotId add_part(SlotId of, std::size_t offset, std::size_t bytes) {
    const SlotId part = add_slot(bytes);
    lowered_.slots.back().alias_of = of;
    lowered_.slots.back().alias_offset = offset;
    return part;
  }
  LoweredNode& add_node(std::vector<SlotId> reads, std::vector<SlotId> writes) {
    LoweredNode node;
    node.name = "node" + std::to_string(lowered_.nodes.size());
    node.kernel_name = "hand:made";
    node.reads = std::move(reads);
    node.writes = std::move(writes);
    lowered_.nodes.push_back(std::move(node));
    return lowered_.nodes.back();
  }

  graph::Graph graph(const std::vector<SlotId>& outputs) const {
    graph::GraphBuilder builder(graph::Mode::kEvaluate);
    graph::ValueId x = builder.add_input("v0", core::DType::kF32, {1});
    for (std::size_t value = 1; value < lowered_.slots.size(); ++value) {
      x = graph::relu(builder, x, "v" + std::to_string(value));
    }
    for (const SlotId output : outputs) {
      builder.mark_output("v" + std::to_string(output), output);
    }
    return std::move(builder).finish();
  }

  /// Plans, and checks the plan by playing it.
  Plan plan(const std::vector<SlotId>& outputs, const std::vector<SlotId>& keep = {}) {
    const graph::Graph logical = graph(outputs);
    Plan made = make_plan(logical, lowered_, keep);
    EXPECT_EQ(check_slots(logical, lowered_, made, keep), "");
    return made;
  }

  static std::size_t offset(const Plan& plan, SlotId slot) {
    return plan.offset_of_slot.at(static_cast<std::size_t>(slot));
  }

  HandMadeLowering lowered_;
};

TEST_F(PlanTest, ASlotLivesFromItsFirstWriteToItsLastRead) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(1000);
  const SlotId b = add_slot(2000);
  const SlotId c = add_slot(500);
  add_node({x}, {a});
  add_node({a}, {b});
  add_node({b, a}, {c});
  const Plan made = plan({c});
  ASSERT_EQ(made.placements.size(), 3U);
  EXPECT_EQ(made.placements[0].slot, a);
  EXPECT_EQ(made.placements[0].first, 0);
  EXPECT_EQ(made.placements[0].last, 2);
  EXPECT_EQ(made.placements[1].first, 1);
  EXPECT_EQ(made.placements[1].last, 2);
  EXPECT_EQ(made.placements[2].first, 2);
  EXPECT_EQ(made.placements[2].last, 2);
  EXPECT_EQ(offset(made, x), Plan::kNotInArena);
  EXPECT_EQ(made.arena_bytes, made.lower_bound_bytes);
  EXPECT_EQ(made.arena_bytes, 1024U + 2048U + 512U);
}

TEST_F(PlanTest, AChainNeedsTwoBuffers) {
  SlotId last = add_slot(64, Storage::kInput);
  for (int node = 0; node < 10; ++node) {
    const SlotId next = add_slot(1024);
    add_node({last}, {next});
    last = next;
  }
  EXPECT_EQ(plan({last}).arena_bytes, 2048U);
}

TEST_F(PlanTest, OutputsAndKeptValuesLiveToTheEnd) {
  const SlotId x = add_slot(64, Storage::kInput);
  std::vector<SlotId> slots;
  for (int node = 0; node < 6; ++node) {
    slots.push_back(add_slot(1024));
    add_node({node == 0 ? x : slots[slots.size() - 2]}, {slots.back()});
  }
  const Plan made = plan({slots[1], slots[5]}, {slots[2]});
  for (const SlotPlacement& placement : made.placements) {
    // slots[4] is read by the last node.
    const bool survives = placement.slot != slots[0] && placement.slot != slots[3];
    EXPECT_EQ(placement.last == 5, survives) << placement.slot;
  }
}

TEST_F(PlanTest, AWriteTakesTheMemoryOfAReadThatDies) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(1000);
  const SlotId b = add_slot(1000);
  add_node({x}, {a});
  add_node({a}, {b}).in_place = {{a, b}};
  const Plan made = plan({b});
  EXPECT_EQ(offset(made, a), offset(made, b));
  EXPECT_EQ(made.arena_bytes, 1024U);
  EXPECT_EQ(made.placements.size(), 1U);
}

TEST_F(PlanTest, NotOfAReadThatIsNeededLater) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(1000);
  const SlotId b = add_slot(1000);
  const SlotId c = add_slot(1000);
  add_node({x}, {a});
  add_node({a}, {b}).in_place = {{a, b}};
  add_node({a, b}, {c});
  const Plan made = plan({c});
  EXPECT_NE(offset(made, a), offset(made, b));
}

TEST_F(PlanTest, NotOfAnOutputByTheLastNode) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(1000);
  const SlotId b = add_slot(1000);
  add_node({x}, {a});
  add_node({a}, {b}).in_place = {{a, b}};
  const Plan made = plan({a, b});
  EXPECT_NE(offset(made, a), offset(made, b));
}

TEST_F(PlanTest, NotOfASmallerRead) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(1000);
  const SlotId b = add_slot(1500);
  add_node({x}, {a});
  add_node({a}, {b}).in_place = {{a, b}};
  const Plan made = plan({b});
  EXPECT_EQ(made.arena_bytes, 1024U + 1536U);
}

TEST_F(PlanTest, NotTwiceOfOneRead) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(1000);
  const SlotId unread = add_slot(1000);
  const SlotId b = add_slot(1000);
  add_node({x}, {a});
  add_node({a}, {unread, b}).in_place = {{a, unread}, {a, b}};
  const Plan made = plan({b});
  EXPECT_NE(offset(made, unread), offset(made, b));
}

TEST_F(PlanTest, NotOfTheState) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId weight = add_slot(1000, Storage::kParameter);
  const SlotId a = add_slot(1000);
  add_node({x, weight}, {a}).in_place = {{weight, a}, {x, a}};
  EXPECT_EQ(plan({a}).arena_bytes, 1024U);
}

TEST_F(PlanTest, NotShiftedWithinASlot) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId whole = add_slot(2048);
  const SlotId second = add_part(whole, 1024, 1024);
  const SlotId b = add_slot(1024);
  add_node({x}, {whole});
  add_node({second}, {b}).in_place = {{second, b}};
  const Plan made = plan({b});
  EXPECT_NE(offset(made, b), offset(made, whole));
}

TEST_F(PlanTest, NotWhereAnotherPartIsReadToo) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId whole = add_slot(2048);
  const SlotId first = add_part(whole, 0, 1024);
  const SlotId b = add_slot(2048);
  add_node({x}, {whole});
  add_node({first, whole}, {b}).in_place = {{first, b}};
  const Plan made = plan({b});
  EXPECT_NE(offset(made, b), offset(made, whole));
}

TEST_F(PlanTest, SharingGoesOnThroughAChain) {
  SlotId last = add_slot(64, Storage::kInput);
  for (int node = 0; node < 5; ++node) {
    const SlotId next = add_slot(1024);
    LoweredNode& made = add_node({last}, {next});
    made.in_place = {{last, next}};
    last = next;
  }
  EXPECT_EQ(plan({last}).arena_bytes, 1024U);
}

TEST_F(PlanTest, PartsLieInsideTheirWholeAndKeepItAlive) {
  // A concat without a copy: its parts are written where the whole is read.
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId whole = add_slot(3000);
  const SlotId left = add_part(whole, 0, 1000);
  const SlotId right = add_part(whole, 1000, 2000);
  const SlotId inner = add_part(right, 500, 100);
  const SlotId other = add_slot(1000);
  const SlotId end = add_slot(100);
  add_node({x}, {left});
  add_node({left}, {other});
  add_node({other}, {right});
  add_node({whole, inner}, {end});
  const Plan made = plan({end});
  EXPECT_EQ(offset(made, left), offset(made, whole));
  EXPECT_EQ(offset(made, right), offset(made, whole) + 1000);
  EXPECT_EQ(offset(made, inner), offset(made, whole) + 1500);
  EXPECT_EQ(made.placements[0].slot, whole);
  EXPECT_EQ(made.placements[0].first, 0);
  EXPECT_EQ(made.placements[0].last, 3);
}

TEST_F(PlanTest, APartOfTheStateIsAProgrammerError) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId part = add_part(x, 0, 32);
  const SlotId a = add_slot(64);
  add_node({part}, {a});
  EXPECT_THROW((void)make_plan(graph({a}), lowered_, {}), core::CheckFailure);
}

TEST_F(PlanTest, WhatAnotherStreamUsesLivesToTheEnd) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(1024);
  const SlotId b = add_slot(1024);
  const SlotId c = add_slot(1024);
  add_node({x}, {a});
  add_node({a}, {b}).stream = NodeStream::kCommunication;
  add_node({x}, {c});
  add_node({c}, {}).stream = NodeStream::kCompute;
  const Plan made = plan({});
  EXPECT_EQ(made.placements[0].last, 3);
  EXPECT_EQ(made.placements[1].last, 3);
  EXPECT_EQ(made.arena_bytes, 3072U);
}

TEST(PlanStreams, EveryBackendReducesOnTheStreamOfCommunication) {
  const graph::Graph step = graph::testing::training_step(
      graph::testing::small_unet(graph::Mode::kTrain, 2, 8), {.kind = graph::OptimizerKind::kSgd});
  for (const std::string& name : backend::backend_names()) {
    if (!backend::backend_unavailable_reason(name).empty()) {
      continue;
    }
    const auto lowered = backend::create_backend(name, {.threads = 1})->lower(step, {});
    int reduces = 0;
    for (const LoweredNode& node : lowered->nodes) {
      const bool communicates = node.kernel == nullptr;
      EXPECT_EQ(node.stream, communicates ? NodeStream::kCommunication : NodeStream::kCompute)
          << name << ": " << node.name;
      reduces += communicates ? 1 : 0;
    }
    EXPECT_GT(reduces, 0) << name;
  }
}

TEST_F(PlanTest, ScratchIsTheLargestOfEachStream) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(256);
  add_node({x}, {a}).scratch_bytes = 100;
  add_node({a}, {}).scratch_bytes = 300;
  LoweredNode& other = add_node({a}, {});
  other.scratch_bytes = 50;
  other.stream = NodeStream::kCommunication;
  const Plan made = plan({});
  EXPECT_EQ(made.scratch_bytes, (std::vector<std::size_t>{300, 50}));
  EXPECT_EQ(made.peak_bytes, 256U + 350U);
}

TEST_F(PlanTest, AnOutputWithoutASlotIsAProgrammerError) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(256);
  add_node({x}, {a});
  lowered_.slot_of_value[static_cast<std::size_t>(a)] = backend::kNoSlot;
  EXPECT_THROW((void)make_plan(graph({a}), lowered_, {}), core::CheckFailure);
}

TEST_F(PlanTest, TheHashSeesKernelsLayoutsAndOffsets) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(1024);
  const SlotId b = add_slot(1024);
  add_node({x}, {a});
  add_node({a}, {b});
  const std::uint64_t hash = plan({b}).hash;
  EXPECT_EQ(plan({b}).hash, hash);
  lowered_.nodes[0].kernel_name = "other";
  EXPECT_NE(plan({b}).hash, hash);
  lowered_.nodes[0].kernel_name = "hand:made";
  lowered_.slots[1].layout = "nChw16c";
  EXPECT_NE(plan({b}).hash, hash);
  lowered_.slots[1].layout = "plain";
  lowered_.slots[1].bytes = 4096;
  EXPECT_NE(plan({b}).hash, hash);
  lowered_.slots[1].bytes = 1024;
  EXPECT_EQ(plan({b}).hash, hash);
}

TEST_F(PlanTest, TheCheckerSeesPlantedErrors) {
  const SlotId x = add_slot(64, Storage::kInput);
  const SlotId a = add_slot(1024);
  const SlotId b = add_slot(1024);
  const SlotId c = add_slot(1024);
  add_node({x}, {a});
  add_node({x}, {b});
  add_node({a, b}, {c});
  const graph::Graph logical = graph({c});
  const Plan good = make_plan(logical, lowered_, {});
  const auto with_offset = [&](SlotId slot, std::size_t value) {
    Plan bad = good;
    bad.offset_of_slot.at(static_cast<std::size_t>(slot)) = value;
    return check_slots(logical, lowered_, bad);
  };
  ASSERT_EQ(check_slots(logical, lowered_, good), "");
  EXPECT_EQ(with_offset(b, offset(good, a)), "'node2' reads slot 1 that slot 2 has overwritten");
  EXPECT_THAT(with_offset(c, offset(good, b)), HasSubstr("overwrites slot 2 with slot 3"));
  EXPECT_THAT(with_offset(c, good.arena_bytes), HasSubstr("outside the arena"));
  EXPECT_THAT(check_slots(graph({x, c}), lowered_, good, {}), "");
  lowered_.nodes[0].writes.clear();
  EXPECT_THAT(check_slots(logical, lowered_, good), HasSubstr("that nothing wrote"));
}

}  // namespace
}  // namespace dlbench::exec
