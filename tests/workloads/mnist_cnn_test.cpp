// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/op_def.h"
#include "tests/workloads/only_node.h"
#include "workloads/workload.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dlbench::workloads {
namespace {

BuiltWorkload build(graph::Mode mode) {
  return find_workload("mnist_cnn").build({.batch_size = 64}, mode);
}

TEST(MnistCnn, HasTheParametersOfTheExampleLayerByLayer) {
  const BuiltWorkload built = build(graph::Mode::kTrain);
  std::map<std::string, core::Shape> shapes;
  for (const graph::ValueId id : built.graph.with_storage(graph::Storage::kParameter)) {
    shapes[built.graph.value(id).name] = built.graph.value(id).shape;
  }
  const std::map<std::string, core::Shape> expected{{"conv1.weight", {32, 1, 3, 3}},
                                                    {"conv1.bias", {32}},
                                                    {"conv2.weight", {64, 32, 3, 3}},
                                                    {"conv2.bias", {64}},
                                                    {"fc1.weight", {128, 9216}},
                                                    {"fc1.bias", {128}},
                                                    {"fc2.weight", {10, 128}},
                                                    {"fc2.bias", {10}}};
  EXPECT_EQ(shapes, expected);
  const graph::GraphTotals totals = graph::totals(built.graph);
  EXPECT_EQ(totals.trainable_parameters, 1199882);
  EXPECT_EQ(totals.buffers, 0);
  EXPECT_NEAR(static_cast<double>(totals.forward_macs) / 64.0, 11.99e6, 0.005e6);
}

TEST(MnistCnn, DropsOutInTrainModeOnlyAndWithTwoKeys) {
  const BuiltWorkload train = build(graph::Mode::kTrain);
  const BuiltWorkload evaluate = build(graph::Mode::kEvaluate);
  std::vector<std::pair<float, std::int32_t>> dropouts;
  for (const graph::Node& node : train.graph.nodes()) {
    if (node.op == graph::OpKind::kDropout) {
      const auto& attributes = node.as<graph::DropoutAttributes>();
      dropouts.emplace_back(attributes.rate, attributes.key);
    }
  }
  ASSERT_EQ(dropouts.size(), 2U);
  EXPECT_FLOAT_EQ(dropouts[0].first, 0.25F);
  EXPECT_FLOAT_EQ(dropouts[1].first, 0.5F);
  EXPECT_NE(dropouts[0].second, dropouts[1].second);
  for (const graph::Node& node : evaluate.graph.nodes()) {
    EXPECT_NE(node.op, graph::OpKind::kDropout);
  }
}

/// Numbers of PyTorch's example, as docs/workloads/mnist_cnn.md has them.
TEST(MnistCnn, FollowsTheExamplesRecipe) {
  const WorkloadSpec& spec = find_workload("mnist_cnn").spec();
  EXPECT_EQ(spec.task, "classification");
  EXPECT_NE(spec.citation.find("PyTorch examples, mnist"), std::string::npos);
  EXPECT_EQ(spec.batch_size, 64);
  EXPECT_EQ(spec.image_size.standard, 28);
  EXPECT_EQ(spec.image_size.multiple, 1);
  EXPECT_EQ(spec.image_size.min, 28);
  EXPECT_EQ(spec.image_size.max, 28);
  EXPECT_EQ(spec.epochs, 14);
  EXPECT_EQ(spec.optimizer.kind, graph::OptimizerKind::kAdadelta);
  EXPECT_EQ(spec.optimizer.learning_rate, 1.0);
  EXPECT_EQ(spec.optimizer.attributes.rho, 0.9);
  EXPECT_EQ(spec.optimizer.attributes.epsilon, 1e-6);
  EXPECT_EQ(spec.optimizer.attributes.weight_decay, 0.0);
  EXPECT_EQ(std::get<StepDecay>(spec.schedule).gamma, 0.7);
  EXPECT_EQ(spec.early_stop_patience, 0);
  EXPECT_TRUE(spec.keep_last_batch) << "60,000 images are 938 steps of 64, the last of 32";
  EXPECT_EQ(spec.dataset, "mnist");
  EXPECT_EQ(spec.validation_split, data::Split::kTest);
  EXPECT_EQ(spec.classes, 10);
  EXPECT_EQ(spec.loss, "negative log-likelihood of log-softmax, mean over the batch");
  EXPECT_EQ(spec.loss_reduction, LossReduction::kMean);
  EXPECT_EQ(spec.metrics, MetricKind::kClassification);
  EXPECT_EQ(spec.verify_batch_size, 16);
  EXPECT_EQ(spec.verify_image_size, 28);
  EXPECT_EQ(spec.verify_rounding, 0.25);
}

TEST(MnistCnn, SeesPixelsAsTheExampleDoes) {
  const BuiltWorkload built = build(graph::Mode::kTrain);
  const graph::Node& normalize = tests::only_node(built.graph, graph::OpKind::kNormalizeImage);
  const auto& pixels = normalize.as<graph::NormalizeAttributes>();
  EXPECT_FLOAT_EQ(pixels.scale, 1.0F / 255.0F);
  EXPECT_EQ(pixels.mean, std::vector<float>{0.1307F});
  EXPECT_EQ(pixels.stddev, std::vector<float>{0.3081F});
  EXPECT_EQ(built.graph.value(normalize.inputs.at(0)).name, "image");
}

TEST(MnistCnn, BeginsAsPyTorchDoes) {
  const BuiltWorkload built = build(graph::Mode::kTrain);
  const std::map<std::string, double> fan_in{
      {"conv1", 9}, {"conv2", 288}, {"fc1", 9216}, {"fc2", 128}};
  for (const graph::ValueId id : built.graph.with_storage(graph::Storage::kParameter)) {
    const graph::Value& value = built.graph.value(id);
    const std::string layer = value.name.substr(0, value.name.find('.'));
    EXPECT_EQ(value.initializer.kind, graph::Initializer::Kind::kUniform) << value.name;
    EXPECT_DOUBLE_EQ(value.initializer.value, 1.0 / std::sqrt(fan_in.at(layer))) << value.name;
  }
}

}  // namespace
}  // namespace dlbench::workloads
