// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/channel_ranges.h"

#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"
#include "engine/graph/passes.h"
#include "tests/engine/backend/cuda/host_device.h"
#include "tests/engine/backend/step_comparison.h"
#include "workloads/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using graph::GraphBuilder;
using graph::Node;
using graph::OpKind;
using graph::ValueId;
using ::testing::ElementsAre;

/// The range of one slice of relu(x), x (2, channels, 4, 4), which an addition reads.
std::optional<ChannelRange> range_of(std::int64_t channels,
                                     const graph::SliceAttributes& slice,
                                     core::DType dtype,
                                     bool also_pooled = false,
                                     bool kept = false) {
  GraphBuilder b(graph::Mode::kTrain);
  const ValueId x = b.add_input("x", dtype, {2, channels, 4, 4});
  const ValueId holder = graph::relu(b, x, "holder");
  const ValueId part = graph::slice(b, holder, "part", slice);
  const ValueId other = b.add_input("other", dtype, {2, slice.extent, 4, 4});
  b.mark_output("y", graph::add(b, part, other, "sum"));
  if (also_pooled) {
    b.mark_output("z", graph::max_pool2d(b, part, "pool", 2));
  }
  const graph::Graph graph = std::move(b).finish();
  const Fusion fusion(graph, kept ? std::vector{part} : std::vector<ValueId>{});
  const ChannelRanges ranges(graph, fusion, ChannelPadding(graph, fusion));
  const std::optional<ChannelRange>& range = ranges.of(part);
  if (range.has_value()) {
    EXPECT_EQ(range->holder, holder);
  }
  return range;
}

TEST(ChannelRanges, BeginAndEndAtSixteenBytes) {
  EXPECT_EQ(range_of(32, {.begin = 8, .extent = 16}, core::DType::kBF16)->begin, 8);
  EXPECT_EQ(range_of(12, {.begin = 4, .extent = 4}, core::DType::kF32)->begin, 4);
  EXPECT_FALSE(range_of(32, {.begin = 4, .extent = 16}, core::DType::kBF16).has_value());
  EXPECT_FALSE(range_of(32, {.begin = 8, .extent = 12}, core::DType::kF16).has_value());
  EXPECT_FALSE(range_of(20, {.begin = 8, .extent = 8}, core::DType::kBF16).has_value());
}

TEST(ChannelRanges, AreReadByKernelsThatCanAndByNobodyElse) {
  const graph::SliceAttributes slice{.begin = 8, .extent = 16};
  EXPECT_TRUE(range_of(32, slice, core::DType::kF32).has_value());
  EXPECT_FALSE(range_of(32, slice, core::DType::kF32, true).has_value());
  EXPECT_FALSE(range_of(32, slice, core::DType::kF32, false, true).has_value());
}

TEST(ChannelRanges, OfASliceOfASliceAreOfTheFirstAlone) {
  GraphBuilder b(graph::Mode::kTrain);
  const ValueId x = graph::relu(b, b.add_input("x", core::DType::kF32, {2, 32, 4, 4}), "relu");
  const ValueId outer = graph::slice(b, x, "outer", {.begin = 0, .extent = 16});
  const ValueId inner = graph::slice(b, outer, "inner", {.begin = 8, .extent = 8});
  const ValueId again = graph::slice(b, x, "again", {.begin = 16, .extent = 8});
  b.mark_output("y", graph::add(b, inner, again, "sum"));
  const graph::Graph graph = std::move(b).finish();
  const Fusion fusion(graph, {});
  const ChannelRanges ranges(graph, fusion, ChannelPadding(graph, fusion));
  EXPECT_FALSE(ranges.of(outer).has_value()) << "a slice reads it";
  EXPECT_EQ(ranges.of(inner)->holder, outer);
  EXPECT_EQ(ranges.of(again)->holder, x);
}

/// Launches of an op in a training step of ResUNet++, with the bytes that each moves.
std::vector<std::int64_t> bytes_of_launches(OpKind op, core::DType precision) {
  const workloads::Workload& workload = workloads::find_workload("resunetpp");
  const auto built = workload.build({.batch_size = 2, .image_size = 32}, graph::Mode::kTrain);
  HostDevice device;
  const graph::Graph step = workloads::training_graph(workload.spec(), built, precision, {});
  const auto lowered = device.lower(step, {.autotune = false});
  std::vector<std::int64_t> bytes;
  for (const LoweredNode& node : lowered->nodes) {
    if (node.op == op && node.phase == graph::Phase::kBackward) {
      bytes.push_back(node.cost.bytes);
    }
  }
  return bytes;
}

TEST(ChannelRanges, OfAStepOfResunetppNeedNoLaunch) {
  for (const core::DType precision : {core::DType::kF32, core::DType::kBF16}) {
    EXPECT_THAT(bytes_of_launches(OpKind::kSlice, precision), ElementsAre());
    // The gradient of what was upsampled: of 64, 128 and 256 channels, read on each of 2 x 32 x 32
    // positions (16 x 16, 8 x 8), written on a quarter of them.
    const auto element = static_cast<std::int64_t>(core::size_of(precision));
    const std::int64_t values = std::int64_t{2} * 32 * 32 * 64 * 5 / 4;
    EXPECT_THAT(bytes_of_launches(OpKind::kUpsampleNearestBackward, precision),
                ElementsAre(values * element, values * element / 2, values * element / 4));
  }
}

TEST(ChannelRanges, AndChainsChangeNoBitOfAStep) {
  HostDevice device;
  for (const core::DType precision : {core::DType::kF32, core::DType::kBF16, core::DType::kF16}) {
    const StepCase test{.workload = "resunetpp", .batch = 2, .size = 16, .precision = precision};
    EXPECT_EQ(values_done_without(test).size(), 14U);  // 6 slices, 3 upsampled parts, 5 sums
    EXPECT_THAT(changed_by_doing_without(device, test), ElementsAre()) << core::name(precision);
  }
}

}  // namespace
}  // namespace dlbench::backend::cuda
