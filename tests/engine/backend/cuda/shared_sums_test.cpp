// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/shared_sums.h"

#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"
#include "engine/graph/passes.h"
#include "tests/engine/backend/cuda/host_device.h"
#include "workloads/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::GraphBuilder;
using graph::Node;
using graph::OpKind;
using graph::ValueId;

/// Batch norms that write the gradient of a bias.
int shared_in(const graph::Graph& graph) {
  const SharedSums sums(graph, Fusion(graph, {}));
  return static_cast<int>(std::ranges::count_if(graph.nodes(), [&](const Node& node) {
    return sums.bias_gradient_of(node.id) != graph::kNoValue;
  }));
}

struct Unit {
  bool bias = true;
  bool relu = false;     ///< behind the batch norm, before the addition
  bool addition = true;  ///< else the batch norm reads the convolution
};

/// The training graph of conv(x) + [relu] batch_norm(conv(x)).
graph::Graph residual_unit(const Unit& unit) {
  GraphBuilder b(graph::Mode::kTrain);
  const ValueId image = b.add_input("image", core::DType::kU8, {2, 6, 5, 3});
  const ValueId mask = b.add_input("mask", core::DType::kU8, {2, 6, 5});
  const ValueId x = graph::normalize_image(b, image, "image_f32", {});
  const ValueId conv = graph::conv2d(b, x, "conv", {.channels_out = 8, .bias = unit.bias});
  const ValueId other = graph::conv2d(b, x, "other", {.channels_out = 8, .bias = false});
  ValueId y = graph::batch_norm(b, unit.addition ? other : conv, "bn", {});
  y = unit.relu ? graph::relu(b, y, "relu") : y;
  y = unit.addition ? graph::add(b, conv, y, "add") : y;
  const ValueId head = graph::conv2d(b, y, "head", {.channels_out = 1, .kernel = 1});
  const ValueId prediction = graph::sigmoid(b, head, "prediction");
  b.mark_output("loss", graph::dice_loss(b, prediction, mask, "loss", 1.0F));
  const graph::Graph forward = std::move(b).finish();
  return graph::differentiate(forward, forward.outputs().at("loss"));
}

TEST(SharedSums, AreOfAConvolutionBesideABatchNorm) {
  EXPECT_EQ(shared_in(residual_unit({})), 1);
  EXPECT_EQ(shared_in(residual_unit({.bias = false})), 0);
  EXPECT_EQ(shared_in(residual_unit({.relu = true})), 0) << "a mask";
  EXPECT_EQ(shared_in(residual_unit({.addition = false})), 0) << "another gradient";
}

TEST(SharedSums, AreThoseOfTheSevenUnitsOfResunetppAndItsBatchNormsWriteThem) {
  const workloads::Workload& workload = workloads::find_workload("resunetpp");
  const auto built = workload.build({.batch_size = 2, .image_size = 32}, graph::Mode::kTrain);
  for (const core::DType precision : {core::DType::kF32, core::DType::kBF16}) {
    const graph::Graph step = workloads::training_graph(workload.spec(), built, precision);
    EXPECT_EQ(shared_in(step), 7);
    const Fusion fusion(step, {});
    const SharedSums sums(step, fusion);
    HostDevice device;
    const auto lowered = device.lower(step, {.autotune = false});
    int writers = 0;
    for (const Node& node : step.nodes()) {
      for (const ValueId written : node.outputs) {
        if (sums.contains(written)) {
          const auto slot = static_cast<SlotId>(written);
          // Beside the all-reduce, which updates gradients in f32 in place.
          for (const LoweredNode& launch : lowered->nodes) {
            const bool writes = std::ranges::count(launch.writes, slot) > 0;
            EXPECT_FALSE(writes && launch.op == OpKind::kConvBackwardWeights) << launch.name;
            writers += writes && launch.op == OpKind::kBatchNormBackward ? 1 : 0;
          }
        }
      }
    }
    EXPECT_EQ(writers, 7);
  }
}

}  // namespace
}  // namespace dlbench::backend::cuda
