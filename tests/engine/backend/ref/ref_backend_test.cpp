// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/ref_backend.h"

#include "engine/backend/backend.h"
#include "engine/backend/ref/kernel_list.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"
#include "tests/engine/core/flush_to_zero.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace dlbench::backend::ref {
namespace {

using core::DType;
using graph::OpKind;

/// conv, max pool, linear, loss; backward, one bucket, SGD: every kind of operand.
graph::Graph training_graph() {
  graph::GraphBuilder builder(graph::Mode::kTrain);
  const auto image = builder.add_input("image", DType::kF32, {2, 1, 6, 6});
  const auto label = builder.add_input("label", DType::kI32, {2});
  auto x = graph::conv2d(builder, image, "conv", {.channels_out = 3});
  x = graph::max_pool2d(builder, x, "pool", 2);
  x = graph::linear(builder, graph::flatten(builder, x, "flat"), "fc", {.features_out = 4});
  const auto loss = graph::nll_loss(builder, graph::log_softmax(builder, x, "out"), label, "loss");
  builder.mark_output("loss", loss);
  const graph::Graph step = graph::differentiate(std::move(builder).finish(), loss);
  return graph::add_optimizer(graph::insert_all_reduce(step, {}), {});
}

TEST(RefBackend, IsInTheListOfBackends) {
  EXPECT_THAT(backend_names(), ::testing::Contains("ref"));
  const auto backend = create_backend("ref", {.threads = 2});
  EXPECT_EQ(backend->name(), "ref");
  EXPECT_EQ(backend->device().threads, 2);
  EXPECT_THAT(backend->device().name, ::testing::EndsWith(", ref backend"))
      << "no report takes its rates for the processor's";
  EXPECT_TRUE(tests::all_threads_flush_to_zero());
}

TEST(RefBackend, ComputesInEveryFloatTypeAndNoOther) {
  RefBackend backend({.threads = 1});
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
    EXPECT_TRUE(backend.supports(dtype, nullptr));
  }
  std::string why;
  EXPECT_FALSE(backend.supports(DType::kI32, &why));
  EXPECT_THAT(why, ::testing::HasSubstr("i32"));
}

TEST(RefBackend, LowersEveryNodeToOneKernelOfItsName) {
  RefBackend backend({.threads = 1});
  const graph::Graph graph = training_graph();
  const auto lowered = backend.lower(graph, {});
  ASSERT_EQ(lowered->nodes.size(), graph.nodes().size());
  for (std::size_t i = 0; i < lowered->nodes.size(); ++i) {
    const LoweredNode& node = lowered->nodes[i];
    EXPECT_EQ(node.covers, std::vector<graph::NodeId>{graph.nodes()[i].id});
    EXPECT_EQ(node.kernel_name, "ref:" + std::string(graph::name(node.op)));
    EXPECT_FALSE(node.is_reorder);
    const bool communicates =
        node.op == OpKind::kAllReduceStart || node.op == OpKind::kAllReduceWait;
    EXPECT_EQ(node.kernel == nullptr, communicates) << node.name;
    EXPECT_EQ(node.stream, communicates ? NodeStream::kCommunication : NodeStream::kCompute)
        << node.name;
  }
}

TEST(RefBackend, EveryValueHasASlotInLogicalOrder) {
  RefBackend backend({.threads = 1});
  const graph::Graph graph = training_graph();
  const auto lowered = backend.lower(graph, {});
  for (const graph::Value& value : graph.values()) {
    const SlotId slot = lowered->slot_of_value.at(static_cast<std::size_t>(value.id));
    const Slot& entry = lowered->slots.at(static_cast<std::size_t>(slot));
    EXPECT_EQ(entry.value, value.id);
    EXPECT_EQ(entry.storage, value.storage);
    EXPECT_EQ(entry.bytes,
              static_cast<std::size_t>(value.shape.elements()) * core::size_of(value.dtype));
    EXPECT_EQ(entry.alias_of, kNoSlot);
  }
}

TEST(RefBackend, ShapeOnlyOperandsAreNoReads) {
  RefBackend backend({.threads = 1});
  const graph::Graph graph = training_graph();
  const auto lowered = backend.lower(graph, {});
  const auto node = std::find_if(lowered->nodes.begin(), lowered->nodes.end(), [](const auto& n) {
    return n.op == OpKind::kMaxPoolBackward;
  });
  ASSERT_NE(node, lowered->nodes.end());
  EXPECT_EQ(node->reads.size(), 2U);  // dy and argmax, not x: its memory may be reused by then
}

TEST(RefBackend, UpdatesAreReadsAndWrites) {
  RefBackend backend({.threads = 1});
  const graph::Graph graph = training_graph();
  const auto lowered = backend.lower(graph, {});
  const LoweredNode& sgd = lowered->nodes.back();
  ASSERT_EQ(sgd.op, OpKind::kSgd);
  EXPECT_EQ(sgd.writes.size(), 8U);  // 4 parameters, 4 velocities
  for (const SlotId slot : sgd.writes) {
    EXPECT_THAT(sgd.reads, ::testing::Contains(slot));
  }
}

}  // namespace
}  // namespace dlbench::backend::ref
