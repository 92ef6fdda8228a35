// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A loss that is a ratio over the batch: with its sums all-reduced, N ranks on the shards of a
// batch are one rank on the whole batch. Ranks are threads; batch norm, which is per rank, is left
// out.
#include "engine/comm/host_communicator.h"
#include "engine/comm/self.h"
#include "engine/core/rng.h"
#include "engine/exec/executor.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"
#include "engine/graph/passes.h"
#include "tests/engine/comm/thread_ranks.h"
#include "tests/engine/exec/tensor_distance.h"
#include "tests/engine/graph/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

using tests::relative_distance;

using graph::Graph;
using graph::GraphBuilder;
using graph::Node;
using graph::OpKind;
using graph::ValueId;

constexpr std::int64_t kWholeBatch = 7;  // divides by few numbers of ranks
constexpr std::int64_t kSide = 6;

Graph segmenter(std::int64_t batch) {
  GraphBuilder builder(graph::Mode::kTrain);
  const ValueId image = builder.add_input("image", core::DType::kU8, {batch, kSide, kSide, 3});
  const ValueId mask = builder.add_input("mask", core::DType::kU8, {batch, kSide, kSide});
  const ValueId x = graph::normalize_image(builder, image, "normalize", {});
  const ValueId hidden =
      graph::relu(builder, graph::conv2d(builder, x, "conv", {.channels_out = 4}), "relu");
  const ValueId head = graph::conv2d(builder, hidden, "head", {.channels_out = 1, .kernel = 1});
  const ValueId prediction = graph::sigmoid(builder, head, "prediction");
  builder.mark_output("counts",
                      graph::segmentation_counts(builder, prediction, mask, "counts", 0.5F));
  builder.mark_output("loss", graph::dice_loss(builder, prediction, mask, "loss", 1.0F));
  return std::move(builder).finish();
}

Graph training_step(std::int64_t batch, bool synchronize) {
  const Graph step = graph::testing::training_step(
      segmenter(batch), {.kind = graph::OptimizerKind::kSgd, .learning_rate = 0.5});
  return synchronize ? graph::synchronize_loss(step) : step;
}

/// Samples [first, first + batch) of one fixed batch whose masks differ in size from sample to
/// sample.
void fill(std::int64_t first, core::HostTensor& image, core::HostTensor& mask) {
  const std::int64_t pixels = kSide * kSide;
  for (std::int64_t n = 0; n < mask.shape()[0]; ++n) {
    core::RandomStream random(42, static_cast<std::uint64_t>(first + n));
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      const bool inside = pixel < (first + n) * 5;
      mask.set(n * pixels + pixel, inside ? 1.0 : 0.0);
      for (std::int64_t c = 0; c < 3; ++c) {
        image.set((n * pixels + pixel) * 3 + c, (inside ? 150 : 50) + random.below(60));
      }
    }
  }
}

struct Trained {
  std::vector<double> losses;
  TensorMap gradients;  ///< of the last step
};

/// `steps` steps of one rank on samples [first, first + batch) of the whole batch.
Trained train(comm::Communicator& communicator,
              std::int64_t first,
              std::int64_t batch,
              bool synchronize,
              int steps) {
  const auto backend = backend::create_backend("ref", {.threads = 1});
  const Graph step = training_step(batch, synchronize);
  ModelState state(*backend, step, 3, &communicator);
  state.set_scalar(
      "loss_gradient",
      synchronize ? 1.0 : static_cast<double>(batch) / static_cast<double>(kWholeBatch));
  Executor executor(*backend, state, communicator, step, {});
  core::HostTensor image(core::DType::kU8, {batch, kSide, kSide, 3});
  core::HostTensor mask(core::DType::kU8, {batch, kSide, kSide});
  fill(first, image, mask);
  executor.bind_input("image", image.data(), image.bytes());
  executor.bind_input("mask", mask.data(), mask.bytes());
  Trained outcome;
  for (int done = 0; done < steps; ++done) {
    executor.run();
    outcome.losses.push_back(executor.read_scalar("loss"));
  }
  outcome.gradients = state.export_tensors({graph::Storage::kGradient});
  return outcome;
}

/// What rank 0 of `ranks` has. All of them have its losses if they are synchronised.
Trained train_on(int ranks, bool synchronize, int steps) {
  std::vector<Trained> outcomes(static_cast<std::size_t>(ranks));
  comm::ThreadNode node(ranks);
  comm::run_ranks(ranks, [&](int rank) {
    comm::HostCommunicator communicator(comm::ranks_of_node(node, rank, ranks));
    const std::int64_t first = kWholeBatch * rank / ranks;
    const std::int64_t end = kWholeBatch * (rank + 1) / ranks;
    outcomes[static_cast<std::size_t>(rank)] =
        train(communicator, first, end - first, synchronize, steps);
  });
  for (std::size_t rank = 1; rank < outcomes.size(); ++rank) {
    EXPECT_EQ(outcomes[rank].losses == outcomes.front().losses, synchronize) << "rank " << rank;
  }
  return std::move(outcomes.front());
}

TEST(SynchronizeLoss, RanksHaveLossAndGradientsOfTheWholeBatch) {
  comm::SelfCommunicator self;
  const Trained whole = train(self, 0, kWholeBatch, false, 4);
  ASSERT_LT(whole.losses.back(), whole.losses.front()) << "nothing is learnt";
  for (const int ranks : {1, 2, 3}) {
    const Trained shards = train_on(ranks, true, 4);
    for (std::size_t step = 0; step < whole.losses.size(); ++step) {
      EXPECT_NEAR(shards.losses[step], whole.losses[step], 1e-5) << ranks << " ranks, " << step;
    }
    EXPECT_LT(relative_distance(shards.gradients, whole.gradients), 1e-4) << ranks << " ranks";
  }
}

// The planted error: each rank's own ratio.
TEST(SynchronizeLoss, WithoutItTheGradientsAreOthers) {
  comm::SelfCommunicator self;
  const Trained whole = train(self, 0, kWholeBatch, false, 1);
  const Trained shards = train_on(2, false, 1);
  EXPECT_GT(relative_distance(shards.gradients, whole.gradients), 0.05);
}

TEST(SynchronizeLoss, TheSumsAreReducedBetweenTheirProducerAndTheirFirstReader) {
  const Graph before = training_step(kWholeBatch, false);
  const Graph after = training_step(kWholeBatch, true);
  const auto& nodes = after.nodes();
  ASSERT_EQ(nodes.size(), before.nodes().size() + 2);
  const auto sums = std::ranges::find(nodes, OpKind::kDiceSums, &Node::op);
  const auto start = sums + 1;
  ASSERT_EQ(start->op, OpKind::kAllReduceStart);
  EXPECT_EQ(start->updates, sums->outputs);
  const auto wait = std::find_if(start, nodes.end(), [&](const Node& node) {
    return node.op == OpKind::kAllReduceWait && node.updates == sums->outputs;
  });
  ASSERT_NE(wait, nodes.end());
  EXPECT_EQ((wait + 1)->op, OpKind::kDiceLoss);
  const auto buckets = std::ranges::count(before.nodes(), OpKind::kAllReduceStart, &Node::op);
  EXPECT_EQ(start->as<graph::AllReduceAttributes>().bucket, buckets) << "number of another bucket";
}

TEST(SynchronizeLoss, EachOfTwoLossesHasABucketOfItsOwn) {
  GraphBuilder builder(graph::Mode::kEvaluate);
  const ValueId p = builder.add_input("p", core::DType::kF32, {2, 1, kSide, kSide});
  const ValueId mask = builder.add_input("mask", core::DType::kU8, {2, kSide, kSide});
  builder.mark_output("loss", graph::dice_loss(builder, p, mask, "loss", 1.0F));
  builder.mark_output("other", graph::dice_loss(builder, p, mask, "other", 2.0F));
  const Graph after = graph::synchronize_loss(std::move(builder).finish());
  std::vector<int> starts;
  std::vector<int> waits;
  for (const Node& node : after.nodes()) {
    if (node.op == OpKind::kAllReduceStart) {
      starts.push_back(node.as<graph::AllReduceAttributes>().bucket);
    } else if (node.op == OpKind::kAllReduceWait) {
      waits.push_back(node.as<graph::AllReduceAttributes>().bucket);
    }
  }
  EXPECT_EQ(starts, (std::vector<int>{0, 1}));
  EXPECT_EQ(waits, starts);
}

TEST(SynchronizeLoss, AMeanOverSamplesNeedsNothing) {
  const Graph step =
      graph::testing::training_step(graph::testing::small_classifier(graph::Mode::kTrain, 4), {});
  EXPECT_EQ(graph::synchronize_loss(step).hash(), step.hash());
}

}  // namespace
}  // namespace dlbench::exec
