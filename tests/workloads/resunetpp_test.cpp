// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"
#include "engine/graph/op_def.h"
#include "tests/workloads/only_node.h"
#include "workloads/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace dlbench::workloads {
namespace {

BuiltWorkload build(std::int64_t batch_size, std::int64_t image_size) {
  return find_workload("resunetpp")
      .build({.batch_size = batch_size, .image_size = image_size}, graph::Mode::kTrain);
}

/// "c1" of "c1.conv1.weight".
std::string stage_of(const std::string& name) { return name.substr(0, name.find('.')); }

std::map<std::string, std::int64_t> elements_by_stage(const graph::Graph& graph,
                                                      graph::Storage storage) {
  std::map<std::string, std::int64_t> sums;
  for (const graph::ValueId id : graph.with_storage(storage)) {
    const graph::Value& value = graph.value(id);
    sums[stage_of(value.name)] += value.shape.elements();
  }
  return sums;
}

TEST(ResUNetPlusPlus, HasTheParametersOfThePublishedNetworkStageByStage) {
  const BuiltWorkload built = build(1, 64);
  const std::map<std::string, std::int64_t> expected{{"c1", 2960},
                                                     {"c2", 14848},
                                                     {"c3", 58880},
                                                     {"c4", 234496},
                                                     {"b1", 1248512},
                                                     {"att1", 1329024},
                                                     {"d1", 562688},
                                                     {"att2", 332736},
                                                     {"d2", 141056},
                                                     {"att3", 83424},
                                                     {"d3", 35456},
                                                     {"out", 18896},
                                                     {"head", 17}};
  EXPECT_EQ(elements_by_stage(built.graph, graph::Storage::kParameter), expected);
  EXPECT_EQ(graph::totals(built.graph).trainable_parameters, 4062993);
}

TEST(ResUNetPlusPlus, HasTheRunningStatisticsOfThePublishedNetwork) {
  const BuiltWorkload built = build(1, 64);
  const std::map<std::string, std::int64_t> expected{{"c1", 64},
                                                     {"c2", 160},
                                                     {"c3", 320},
                                                     {"c4", 640},
                                                     {"b1", 2048},
                                                     {"att1", 1152},
                                                     {"d1", 1152},
                                                     {"att2", 576},
                                                     {"d2", 576},
                                                     {"att3", 288},
                                                     {"d3", 288},
                                                     {"out", 128}};
  EXPECT_EQ(elements_by_stage(built.graph, graph::Storage::kBuffer), expected);
  EXPECT_EQ(graph::totals(built.graph).buffers, 7392);
}

TEST(ResUNetPlusPlus, ForwardTakes15Point67GMacAt256) {
  const double macs = static_cast<double>(graph::totals(build(1, 256).graph).forward_macs);
  EXPECT_NEAR(macs, 15.67e9, 0.005e9);
  const double four = static_cast<double>(graph::totals(build(4, 256).graph).forward_macs);
  EXPECT_DOUBLE_EQ(four, 4.0 * macs);
}

TEST(ResUNetPlusPlus, NamesItsTensorsAsDocumented) {
  const BuiltWorkload built = build(1, 64);
  const std::set<std::string> residual{
      "conv1", "bn1", "conv2", "bn2", "shortcut_conv", "shortcut_bn", "se_fc1", "se_fc2"};
  const std::set<std::string> attention{"g_bn", "g_conv", "x_bn", "x_conv", "sum_bn", "sum_conv"};
  std::set<std::string> aspp{"project"};
  for (const char* branch : {"branch1", "branch2", "branch3", "branch4"}) {
    aspp.insert(std::string(branch) + "_conv");
    aspp.insert(std::string(branch) + "_bn");
  }
  std::set<std::string> stem = residual;
  stem.erase("bn2");

  std::map<std::string, std::set<std::string>> layers;
  for (const graph::ValueId id : built.graph.with_storage(graph::Storage::kParameter)) {
    const std::string& name = built.graph.value(id).name;
    const std::size_t first = name.find('.');
    const std::size_t last = name.rfind('.');
    const std::string kind = name.substr(last + 1);
    EXPECT_TRUE(kind == "weight" || kind == "bias") << name;
    layers[stage_of(name)].insert(first == last ? "" : name.substr(first + 1, last - first - 1));
  }
  EXPECT_EQ(layers.at("c1"), stem);
  for (const char* stage : {"c2", "c3", "c4", "d1", "d2", "d3"}) {
    EXPECT_EQ(layers.at(stage), residual) << stage;
  }
  for (const char* stage : {"att1", "att2", "att3"}) {
    EXPECT_EQ(layers.at(stage), attention) << stage;
  }
  EXPECT_EQ(layers.at("b1"), aspp);
  EXPECT_EQ(layers.at("out"), aspp);
  EXPECT_EQ(layers.at("head"), std::set<std::string>{""});
}

TEST(ResUNetPlusPlus, StagesHaveTheSizesOfTheTable) {
  const BuiltWorkload built = build(2, 256);
  const auto output_of = [&](const std::string& node_name) {
    for (const graph::Node& node : built.graph.nodes()) {
      if (node.name == node_name) {
        return built.graph.value(node.outputs.at(0)).shape;
      }
    }
    return core::Shape{};
  };
  EXPECT_EQ(output_of("c1.se_scale"), core::Shape({2, 16, 256, 256}));
  EXPECT_EQ(output_of("c2.se_scale"), core::Shape({2, 32, 128, 128}));
  EXPECT_EQ(output_of("c3.se_scale"), core::Shape({2, 64, 64, 64}));
  EXPECT_EQ(output_of("c4.se_scale"), core::Shape({2, 128, 32, 32}));
  EXPECT_EQ(output_of("b1.project"), core::Shape({2, 256, 32, 32}));
  EXPECT_EQ(output_of("att1.multiply"), core::Shape({2, 256, 32, 32}));
  EXPECT_EQ(output_of("d1.concat"), core::Shape({2, 320, 64, 64}));
  EXPECT_EQ(output_of("d1.se_scale"), core::Shape({2, 128, 64, 64}));
  EXPECT_EQ(output_of("d2.concat"), core::Shape({2, 160, 128, 128}));
  EXPECT_EQ(output_of("d3.concat"), core::Shape({2, 80, 256, 256}));
  EXPECT_EQ(output_of("out.project"), core::Shape({2, 16, 256, 256}));
  EXPECT_EQ(output_of("head"), core::Shape({2, 1, 256, 256}));
}

TEST(ResUNetPlusPlus, StridedConvolutionsPadAtTheBottomAndRightOnly) {
  const BuiltWorkload built = build(1, 64);
  int strided = 0;
  for (const graph::Node& node : built.graph.nodes()) {
    if (node.op != graph::OpKind::kConv) {
      continue;
    }
    const auto& conv = node.as<graph::ConvAttributes>();
    const std::int64_t kernel = built.graph.value(node.inputs.at(1)).shape[2];
    if (conv.stride[0] == 2 && kernel == 3) {
      ++strided;
      EXPECT_EQ(conv.pad_begin[0], 0) << node.name;
      EXPECT_EQ(conv.pad_end[0], 1) << node.name;
      EXPECT_EQ(conv.pad_begin[1], 0) << node.name;
      EXPECT_EQ(conv.pad_end[1], 1) << node.name;
    } else {
      EXPECT_EQ(conv.pad_begin, conv.pad_end) << node.name;
    }
  }
  EXPECT_EQ(strided, 3);
}

TEST(ResUNetPlusPlus, BatchNormHasKerasConstants) {
  const BuiltWorkload built = build(1, 64);
  for (const graph::Node& node : built.graph.nodes()) {
    if (node.op == graph::OpKind::kBatchNorm) {
      EXPECT_FLOAT_EQ(node.as<graph::BatchNormAttributes>().momentum, 0.99F);
      EXPECT_FLOAT_EQ(node.as<graph::BatchNormAttributes>().epsilon, 1e-3F);
    }
  }
}

/// Numbers of the authors' Keras code, as docs/workloads/resunetpp.md has them.
TEST(ResUNetPlusPlus, FollowsTheAuthorsRecipe) {
  const WorkloadSpec& spec = find_workload("resunetpp").spec();
  EXPECT_EQ(spec.task, "segmentation");
  EXPECT_NE(spec.citation.find("arXiv:1911.07067"), std::string::npos);
  EXPECT_EQ(spec.batch_size, 8);
  EXPECT_EQ(spec.image_size.standard, 256);
  EXPECT_EQ(spec.image_size.multiple, 8);
  EXPECT_EQ(spec.image_size.min, 8);
  EXPECT_EQ(spec.image_size.max, 4096);
  EXPECT_EQ(spec.epochs, 100);
  EXPECT_EQ(spec.optimizer.kind, graph::OptimizerKind::kNadam);
  EXPECT_EQ(spec.optimizer.learning_rate, 1e-4);
  EXPECT_EQ(spec.optimizer.attributes.beta1, 0.9);
  EXPECT_EQ(spec.optimizer.attributes.beta2, 0.999);
  EXPECT_EQ(spec.optimizer.attributes.epsilon, 1e-7);
  EXPECT_EQ(spec.optimizer.attributes.weight_decay, 0.0);
  const auto& plateau = std::get<ReduceOnPlateau>(spec.schedule);
  EXPECT_EQ(plateau.factor, 0.1);
  EXPECT_EQ(plateau.patience, 5);
  EXPECT_EQ(plateau.floor, 1e-6);
  EXPECT_EQ(spec.early_stop_patience, 10);
  EXPECT_FALSE(spec.keep_last_batch) << "800 images are 100 steps of 8, 100 are 12";
  EXPECT_EQ(spec.dataset, "kvasir-seg");
  EXPECT_EQ(spec.validation_split, data::Split::kValid);
  EXPECT_EQ(spec.classes, 0);
  EXPECT_EQ(spec.loss, "1 - Dice over the whole batch, smooth 1");
  EXPECT_EQ(spec.loss_reduction, LossReduction::kBatchRatio);
  EXPECT_EQ(spec.metrics, MetricKind::kSegmentation);
  EXPECT_EQ(spec.verify_batch_size, 2);
  EXPECT_EQ(spec.verify_image_size, 128);
  EXPECT_EQ(spec.verify_rounding, 1.0) << "it is the measure of the others";
}

TEST(ResUNetPlusPlus, SeesPixelsOver255AndCountsAtOneHalf) {
  const BuiltWorkload built = build(1, 64);
  const graph::Node& normalize = tests::only_node(built.graph, graph::OpKind::kNormalizeImage);
  const auto& pixels = normalize.as<graph::NormalizeAttributes>();
  EXPECT_FLOAT_EQ(pixels.scale, 1.0F / 255.0F);
  EXPECT_TRUE(pixels.mean.empty());
  EXPECT_TRUE(pixels.stddev.empty());
  EXPECT_EQ(built.graph.value(normalize.inputs.at(0)).name, "image");
  const graph::Node& loss = tests::only_node(built.graph, graph::OpKind::kDiceLoss);
  EXPECT_EQ(loss.as<graph::DiceAttributes>().smooth, 1.0F);
  const graph::Node& counts = tests::only_node(built.graph, graph::OpKind::kSegmentationCounts);
  EXPECT_EQ(counts.as<graph::ThresholdAttributes>().threshold, 0.5F);
  EXPECT_EQ(counts.inputs.at(0), built.graph.outputs().at(std::string(kPredictionOutput)));
  EXPECT_EQ(built.graph.value(counts.inputs.at(1)).name, "mask");
}

TEST(ResUNetPlusPlus, BeginsAsKerasDoes) {
  using Kind = graph::Initializer::Kind;
  const BuiltWorkload built = build(1, 64);
  for (const graph::ValueId id : built.graph.with_storage(graph::Storage::kParameter)) {
    const graph::Value& value = built.graph.value(id);
    const graph::Initializer& initializer = value.initializer;
    const bool dense = value.name.find(".se_fc") != std::string::npos;
    if (value.name.ends_with(".bias")) {
      EXPECT_EQ(initializer.kind, Kind::kZero) << value.name;
    } else if (value.shape.rank() == 1) {
      EXPECT_EQ(initializer.kind, Kind::kConstant) << value.name;  // of a batch norm
      EXPECT_EQ(initializer.value, 1.0) << value.name;
    } else {
      const std::int64_t taps = dense ? 1 : value.shape[2] * value.shape[3];
      EXPECT_EQ(initializer.kind, dense ? Kind::kHeNormal : Kind::kGlorotUniform) << value.name;
      EXPECT_EQ(initializer.fan_in, value.shape[1] * taps) << value.name;
      EXPECT_EQ(initializer.fan_out, value.shape[0] * taps) << value.name;
    }
  }
  for (const graph::ValueId id : built.graph.with_storage(graph::Storage::kBuffer)) {
    const graph::Value& value = built.graph.value(id);
    const bool variance = value.name.ends_with(".running_var");
    EXPECT_EQ(value.initializer.kind, variance ? Kind::kConstant : Kind::kZero) << value.name;
    EXPECT_EQ(value.initializer.value, variance ? 1.0 : 0.0) << value.name;
  }
}

TEST(ResUNetPlusPlus, DilatesTheBranchesOfThePyramidsInTheAuthorsOrder) {
  const BuiltWorkload built = build(1, 64);
  std::map<std::string, std::int64_t> dilations;
  for (const graph::Node& node : built.graph.nodes()) {
    if (node.op == graph::OpKind::kConv) {
      const graph::Spatial& dilation = node.as<graph::ConvAttributes>().dilation;
      EXPECT_EQ(dilation[0], dilation[1]) << node.name;
      const bool branch = node.name.find(".branch") != std::string::npos;
      (branch ? dilations[node.name] : dilations["others"]) = dilation[0];
    }
  }
  const std::map<std::string, std::int64_t> expected{{"others", 1},
                                                     {"b1.branch1_conv", 6},
                                                     {"b1.branch2_conv", 12},
                                                     {"b1.branch3_conv", 18},
                                                     {"b1.branch4_conv", 1},
                                                     {"out.branch1_conv", 6},
                                                     {"out.branch2_conv", 12},
                                                     {"out.branch3_conv", 18},
                                                     {"out.branch4_conv", 1}};
  EXPECT_EQ(dilations, expected);
}

TEST(ResUNetPlusPlus, TakesTheSmallestMultipleOfEight) {
  EXPECT_EQ(graph::totals(build(2, 8).graph).trainable_parameters, 4062993);
  // Its innermost batch norms would have a single value per channel.
  try {
    (void)build(1, 8);
    ADD_FAILURE() << "a batch norm took a single value per channel";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUsage);
    EXPECT_THAT(error.what(), testing::StartsWith("batch size 1 of images of 8 x 8 for workload"));
  }
}

}  // namespace
}  // namespace dlbench::workloads
