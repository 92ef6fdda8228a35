// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/check.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"
#include "engine/graph/passes.h"
#include "tests/engine/graph/networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::graph {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// Bytes of f32 parameters, in order of registration.
struct ParameterList {
  std::vector<std::int64_t> bytes;

  void add(std::int64_t elements) { bytes.push_back(4 * elements); }
  [[nodiscard]] std::int64_t elements() const {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}) / 4;
  }
};

// The 3D U-Net of the cosmology tutorial (Harrington et al. 2021): kernel 4 everywhere, biases.
ParameterList cosmology_unet() {
  ParameterList list;
  const auto layer = [&list](std::int64_t channels_in, std::int64_t channels_out) {
    list.add(channels_in * channels_out * 4 * 4 * 4);
    list.add(channels_out);
  };
  layer(4, 64);
  layer(64, 128);
  layer(128, 256);
  layer(256, 512);
  layer(512, 512);
  layer(512, 512);
  layer(512, 512);
  layer(1024, 512);
  layer(1024, 256);
  layer(512, 128);
  layer(256, 64);
  layer(128, 5);
  return list;
}

// ResNet-152 (He et al. 2016) with 100 classes, parameters registered as torchvision does.
ParameterList resnet152() {
  ParameterList list;
  const auto conv_bn = [&list](std::int64_t in, std::int64_t out, std::int64_t kernel) {
    list.add(in * out * kernel * kernel);
    list.add(out);
    list.add(out);
  };
  conv_bn(3, 64, 7);
  std::int64_t channels = 64;
  const std::int64_t blocks[] = {3, 8, 36, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const std::int64_t width = std::int64_t{64} << stage;
    for (std::int64_t block = 0; block < blocks[stage]; ++block) {
      conv_bn(channels, width, 1);
      conv_bn(width, width, 3);
      conv_bn(width, 4 * width, 1);
      if (block == 0) {
        conv_bn(channels, 4 * width, 1);
      }
      channels = 4 * width;
    }
  }
  list.add(2048 * 100);
  list.add(100);
  return list;
}

// Sizes of buckets in units of 10 kB, as published figures are rounded.
std::vector<std::int64_t> bucket_sizes(const ParameterList& list, std::int64_t cap) {
  std::vector<std::int64_t> sizes;
  for (const auto& bucket : assign_buckets(list.bytes, {.cap_bytes = cap})) {
    double bytes = 0;
    for (const std::size_t index : bucket) {
      bytes += static_cast<double>(list.bytes.at(index));
    }
    sizes.push_back(std::lround(bytes / 1e4));
  }
  return sizes;
}

TEST(AssignBuckets, CosmologyUnetAsPyTorchDoes) {
  const ParameterList list = cosmology_unet();
  ASSERT_EQ(list.elements(), 116977029);
  EXPECT_THAT(bucket_sizes(list, 25 * kMiB),
              ElementsAre(436, 8389, 13422, 6711, 6711, 6711, 3356, 1055));
  EXPECT_THAT(bucket_sizes(list, 100 * kMiB), ElementsAre(436, 21811, 13422, 10906, 216));
}

TEST(AssignBuckets, ResNet152AsPyTorchDoes) {
  const ParameterList list = resnet152();
  ASSERT_EQ(list.elements(), 58348708);
  EXPECT_EQ(assign_buckets(list.bytes, {.cap_bytes = 25 * kMiB}).size(), 10U);
}

TEST(AssignBuckets, ClosesAtTheCapAndNeverSplits) {
  const BucketOptions options{.first_cap_bytes = 10, .cap_bytes = 20};
  using Buckets = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(assign_buckets({}, options), Buckets{});
  EXPECT_EQ(assign_buckets({5}, options), Buckets{{0}});
  EXPECT_EQ(assign_buckets({15, 5, 19, 1, 10}, options), (Buckets{{4}, {3, 2}, {1, 0}}));
  EXPECT_EQ(assign_buckets({99, 9, 9}, options), (Buckets{{2, 1}, {0}}));
}

class InsertAllReduce : public ::testing::Test {
 protected:
  InsertAllReduce() {
    const Graph forward = testing::small_unet(Mode::kTrain, 2, 8);
    backward_ = differentiate(forward, forward.outputs().at("loss"));
    graph_ = insert_all_reduce(backward_, {.first_cap_bytes = 32, .cap_bytes = 64});
  }

  std::vector<const Node*> nodes_of(OpKind op) const {
    std::vector<const Node*> found;
    for (const Node& node : graph_.nodes()) {
      if (node.op == op) {
        found.push_back(&node);
      }
    }
    return found;
  }

  Graph backward_;
  Graph graph_;
};

TEST_F(InsertAllReduce, EveryGradientIsReducedOnce) {
  std::vector<ValueId> reduced;
  for (const Node* start : nodes_of(OpKind::kAllReduceStart)) {
    EXPECT_EQ(start->updates, start->inputs);
    reduced.insert(reduced.end(), start->inputs.begin(), start->inputs.end());
  }
  std::sort(reduced.begin(), reduced.end());
  EXPECT_EQ(reduced, graph_.with_storage(Storage::kGradient));
  EXPECT_GE(nodes_of(OpKind::kAllReduceStart).size(), 4U) << "the test needs several buckets";
}

TEST_F(InsertAllReduce, AStartStandsRightAfterItsLastGradient) {
  for (const Node* start : nodes_of(OpKind::kAllReduceStart)) {
    NodeId last = kNoNode;
    for (const ValueId gradient : start->inputs) {
      last = std::max(last, graph_.value(gradient).producer);
    }
    NodeId before = start->id - 1;
    while (graph_.node(before).op == OpKind::kAllReduceStart) {
      --before;  // two buckets may be complete at once
    }
    EXPECT_EQ(before, last) << start->name;
  }
}

TEST_F(InsertAllReduce, WithoutOverlapNoStartStandsInTheBackwardPass) {
  graph_ = insert_all_reduce(backward_, {.first_cap_bytes = 32, .cap_bytes = 64, .overlap = false});
  const auto starts = nodes_of(OpKind::kAllReduceStart);
  ASSERT_GE(starts.size(), 4U);
  for (std::size_t bucket = 0; bucket < starts.size(); ++bucket) {
    EXPECT_EQ(starts[bucket]->as<AllReduceAttributes>().bucket, static_cast<int>(bucket));
    EXPECT_EQ(starts[bucket]->id, static_cast<NodeId>(backward_.nodes().size() + bucket));
  }
}

TEST_F(InsertAllReduce, WaitsStandAfterTheBackwardPassInTheOrderOfTheirStarts) {
  const auto starts = nodes_of(OpKind::kAllReduceStart);
  const auto waits = nodes_of(OpKind::kAllReduceWait);
  ASSERT_EQ(waits.size(), starts.size());
  for (std::size_t bucket = 0; bucket < waits.size(); ++bucket) {
    EXPECT_EQ(waits[bucket]->as<AllReduceAttributes>().bucket, static_cast<int>(bucket));
    EXPECT_EQ(waits[bucket]->inputs.front(),
              graph_.value(*graph_.find("all_reduce_start/" + std::to_string(bucket))).id);
    EXPECT_EQ(waits[bucket]->id,
              static_cast<NodeId>(graph_.nodes().size() - waits.size() + bucket));
  }
}

TEST_F(InsertAllReduce, MembersFollowTheOrderOfTheirParameters) {
  // Parameters and gradients have one order in their arenas, so a bucket is one range.
  const std::vector<ValueId> parameters = graph_.with_storage(Storage::kParameter);
  std::vector<ValueId> seen;
  auto starts = nodes_of(OpKind::kAllReduceStart);
  std::sort(starts.begin(), starts.end(), [](const Node* a, const Node* b) {
    return a->as<AllReduceAttributes>().bucket > b->as<AllReduceAttributes>().bucket;
  });
  for (const Node* start : starts) {
    for (const ValueId gradient : start->inputs) {
      seen.push_back(graph_.value(gradient).parameter);
    }
  }
  EXPECT_EQ(seen, parameters);
}

TEST_F(InsertAllReduce, ChangesNothingElse) {
  std::vector<std::string> before;
  std::vector<std::string> after;
  for (const Node& node : backward_.nodes()) {
    before.push_back(node.name);
  }
  for (const Node& node : graph_.nodes()) {
    if (node.phase != Phase::kAllReduce) {
      after.push_back(node.name);
    }
  }
  EXPECT_EQ(before, after);
  EXPECT_EQ(graph_.outputs(), backward_.outputs());
}

// The parameter that is registered last is read first: its gradient is the last one.
TEST(InsertAllReduceGraph, ABucketStartsAfterTheGradientThatIsMadeLast) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", core::DType::kF32, {2, 4});
  const ValueId label = builder.add_input("label", core::DType::kI32, {2});
  const auto weight = [&builder](const char* name) {
    return builder.add_state(Storage::kParameter, name, core::DType::kF32, {4, 4}, {});
  };
  const ValueId second = weight("second");
  const ValueId first = weight("first");
  const ValueId hidden = builder.add({.op = OpKind::kLinear, .name = "a", .inputs = {x, first}});
  const ValueId logits =
      builder.add({.op = OpKind::kLinear, .name = "b", .inputs = {hidden, second}});
  const ValueId loss = nll_loss(builder, log_softmax(builder, logits, "logp"), label, "loss");
  const Graph graph = insert_all_reduce(differentiate(std::move(builder).finish(), loss), {});
  const auto start = std::ranges::find(graph.nodes(), OpKind::kAllReduceStart, &Node::op);
  ASSERT_NE(start, graph.nodes().end());
  ASSERT_EQ(start->inputs.size(), 2U) << "the test needs both in one bucket";
  const NodeId last = graph.value(graph.gradient_of(first)).producer;
  EXPECT_GT(last, graph.value(graph.gradient_of(second)).producer);
  EXPECT_EQ(start->id, last + 1);
}

TEST(InsertAllReduceGraph, AGradientThatIsReadElsewhereIsRefused) {
  const Graph forward = testing::small_classifier(Mode::kTrain, 2);
  GraphBuilder builder(differentiate(forward, forward.outputs().at("loss")));
  const ValueId gradient = builder.graph().with_storage(Storage::kGradient).front();
  (void)builder.add({.op = OpKind::kRelu, .name = "reader", .inputs = {gradient}});
  EXPECT_THROW((void)insert_all_reduce(std::move(builder).finish(), {}), core::CheckFailure);
}

TEST(InsertAllReduceGraph, WithoutGradientsThereIsNothingToReduce) {
  const Graph forward = testing::small_classifier(Mode::kEvaluate, 2);
  EXPECT_EQ(insert_all_reduce(forward, {}).hash(), forward.hash());
}

}  // namespace
}  // namespace dlbench::graph
