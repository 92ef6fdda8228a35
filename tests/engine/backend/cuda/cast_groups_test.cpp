// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/cast_groups.h"

#include "engine/backend/fusion.h"
#include "engine/graph/passes.h"
#include "tests/engine/backend/cuda/host_device.h"
#include "workloads/workload.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;
using graph::Node;
using graph::NodeId;
using graph::OpKind;
using graph::Storage;

graph::Graph step_of(const std::string& workload,
                     DType precision,
                     const graph::BucketOptions& buckets = {},
                     graph::Mode mode = graph::Mode::kTrain) {
  const workloads::Workload& found = workloads::find_workload(workload);
  const workloads::BuiltWorkload built = found.build({.batch_size = 2}, mode);
  return mode == graph::Mode::kTrain
             ? workloads::training_graph(found.spec(), built, precision, {.buckets = buckets})
             : workloads::evaluation_graph(built, precision);
}

int casts_of(const graph::Graph& graph) {
  int casts = 0;
  for (const Node& node : graph.nodes()) {
    casts += node.op == OpKind::kCast ? 1 : 0;
  }
  return casts;
}

/// The graph's casts in the order in which they run, each with its launch.
std::map<NodeId, std::size_t> launches_of_casts(const graph::Graph& graph) {
  HostDevice device;
  const auto lowered = device.lower(graph, {.autotune = false});
  std::map<NodeId, std::size_t> launches;
  for (std::size_t launch = 0; launch < lowered->nodes.size(); ++launch) {
    const LoweredNode& node = lowered->nodes[launch];
    if (node.op == OpKind::kCast && !node.is_reorder) {
      for (const NodeId cast : node.covers) {
        EXPECT_TRUE(launches.emplace(cast, launch).second)
            << graph.node(cast).name << " runs twice";
      }
    }
  }
  return launches;
}

std::size_t count_launches(const graph::Graph& graph) {
  const auto launches = launches_of_casts(graph);
  EXPECT_EQ(launches.size(), static_cast<std::size_t>(casts_of(graph)));
  std::set<std::size_t> distinct;
  for (const auto& [cast, launch] : launches) {
    distinct.insert(launch);
  }
  return distinct.size();
}

/// Every value is written before it is read, and whatever is written later is another one.
void expect_order(const graph::Graph& graph) {
  HostDevice device;
  const auto lowered = device.lower(graph, {.autotune = false});
  std::set<SlotId> written;
  for (const LoweredNode& node : lowered->nodes) {
    for (const SlotId slot : node.reads) {
      const Slot& read = lowered->slots.at(static_cast<std::size_t>(slot));
      const bool made_here =
          read.storage == Storage::kActivation || read.storage == Storage::kGradient;
      const SlotId home = read.alias_of == kNoSlot ? slot : read.alias_of;
      EXPECT_TRUE(!made_here || written.contains(home)) << node.name << " reads what is not there";
    }
    written.insert(node.writes.begin(), node.writes.end());
  }
}

TEST(CastGroups, AStepIn16BitsCastsItsWeightsInOneLaunchAndItsGradientsInOneForEachBucket) {
  for (const std::string workload : {"mnist_cnn", "resunetpp"}) {
    for (const DType precision : {DType::kBF16, DType::kF16}) {
      const graph::Graph step = step_of(workload, precision);
      std::size_t buckets = 0;
      std::size_t padded = 0;  // weights over the image, there and back
      const ChannelPadding padding(step, Fusion(step, {}));
      for (const Node& node : step.nodes()) {
        buckets += node.op == OpKind::kAllReduceStart ? 1 : 0;
        const bool cast = node.op == OpKind::kCast;
        padded +=
            cast && (padding.padded(node.inputs[0]) != padding.padded(node.outputs[0])) ? 1 : 0;
      }
      EXPECT_GE(padded, 2U);
      constexpr std::size_t kOfTheLoss = 2;  // its operand and that one's gradient
      EXPECT_EQ(count_launches(step), 1 + buckets + padded + kOfTheLoss) << workload;
      expect_order(step);
    }
  }
}

TEST(CastGroups, SmallBucketsHaveLaunchesOfTheirOwn) {
  const graph::Graph whole =
      step_of("resunetpp",
              DType::kBF16,
              {.first_cap_bytes = std::int64_t{1} << 30, .cap_bytes = std::int64_t{1} << 30});
  const graph::Graph parts =
      step_of("resunetpp", DType::kBF16, {.first_cap_bytes = 1 << 20, .cap_bytes = 1 << 20});
  EXPECT_GT(count_launches(parts), count_launches(whole) + 5);
  expect_order(parts);
}

TEST(CastGroups, AnEvaluationCastsItsWeightsInOneLaunch) {
  const graph::Graph evaluation = step_of("resunetpp", DType::kBF16, {}, graph::Mode::kEvaluate);
  EXPECT_LE(count_launches(evaluation), 5U);
  expect_order(evaluation);
}

TEST(CastGroups, ThereAreNoneInF32) {
  const graph::Graph step = step_of("resunetpp", DType::kF32);
  const CastGroups groups(step, ChannelPadding(step, Fusion(step, {})));
  for (const Node& node : step.nodes()) {
    EXPECT_EQ(groups.group_at(node.id), nullptr);
    EXPECT_FALSE(groups.grouped(node.id));
  }
}

}  // namespace
}  // namespace dlbench::backend::cuda
