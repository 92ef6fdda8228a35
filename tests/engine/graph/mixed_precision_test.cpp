// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/check.h"
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"
#include "tests/engine/graph/networks.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

namespace dlbench::graph {
namespace {

using core::DType;

class MixedPrecision : public ::testing::TestWithParam<DType> {
 protected:
  MixedPrecision()
      : forward_(testing::small_unet(Mode::kTrain, 2, 8)),
        mixed_(mixed_precision(forward_, GetParam())) {}

  [[nodiscard]] DType dtype_of(const std::string& value) const {
    return mixed_.value(mixed_.find(value).value()).dtype;
  }

  Graph forward_;
  Graph mixed_;
};

TEST_P(MixedPrecision, ContractionsRunReduced) {
  int contractions = 0;
  for (const Node& node : mixed_.nodes()) {
    if (op_def(node.op).precision == PrecisionClass::kReduced) {
      ++contractions;
      for (const ValueId id : node.inputs) {
        EXPECT_EQ(mixed_.value(id).dtype, GetParam()) << node.name;
      }
      EXPECT_EQ(mixed_.value(node.outputs[0]).dtype, GetParam()) << node.name;
    }
  }
  EXPECT_EQ(contractions, 5);
}

TEST_P(MixedPrecision, TheStateStaysInFloat32) {
  for (const Storage storage : {Storage::kParameter, Storage::kBuffer}) {
    ASSERT_EQ(mixed_.with_storage(storage).size(), forward_.with_storage(storage).size());
    for (const ValueId id : mixed_.with_storage(storage)) {
      EXPECT_EQ(mixed_.value(id).dtype, DType::kF32) << mixed_.value(id).name;
    }
  }
}

TEST_P(MixedPrecision, BatchNormKeepsItsStatisticsInFloat32) {
  EXPECT_EQ(dtype_of("enc.bn"), GetParam());
  EXPECT_EQ(dtype_of("enc.bn_mean"), DType::kF32);
  EXPECT_EQ(dtype_of("enc.bn_rstd"), DType::kF32);
}

TEST_P(MixedPrecision, LossesAndMetricsAreInFloat32) {
  for (const Node& node : mixed_.nodes()) {
    if (op_def(node.op).precision == PrecisionClass::kFloat32) {
      for (const ValueId id : node.inputs) {
        const DType dtype = mixed_.value(id).dtype;
        EXPECT_TRUE(dtype == DType::kF32 || !core::is_float(dtype)) << node.name;
      }
    }
  }
  EXPECT_EQ(dtype_of("loss"), DType::kF32);
  EXPECT_EQ(dtype_of("prediction"), GetParam());
}

TEST_P(MixedPrecision, CastsStandWhereTheyMustAndOnlyThere) {
  std::map<std::pair<ValueId, DType>, int> casts;
  std::vector<std::string> cast_values;
  for (const Node& node : mixed_.nodes()) {
    if (node.op == OpKind::kCast) {
      const ValueId source = node.inputs.front();
      const DType target = node.as<CastAttributes>().dtype;
      EXPECT_EQ(++casts[std::make_pair(source, target)], 1) << node.name << " is cast twice";
      EXPECT_NE(mixed_.value(source).dtype, target) << node.name;
      cast_values.push_back(mixed_.value(source).name);
    }
  }
  const std::vector<std::string> expected{"normalize",
                                          "enc.conv.weight",
                                          "enc.conv.bias",
                                          "deep.conv.weight",
                                          "deep.conv.bias",
                                          "se.fc1.weight",
                                          "se.fc1.bias",
                                          "se.fc2.weight",
                                          "head.weight",
                                          "head.bias",
                                          "prediction"};
  EXPECT_EQ(cast_values, expected);
}

TEST_P(MixedPrecision, KeepsInputsOutputsAndTheOrderOfParameters) {
  ASSERT_EQ(mixed_.inputs().size(), forward_.inputs().size());
  for (const auto& [name, id] : forward_.outputs()) {
    EXPECT_EQ(mixed_.value(mixed_.outputs().at(name)).name, forward_.value(id).name);
  }
  const auto before = forward_.with_storage(Storage::kParameter);
  const auto after = mixed_.with_storage(Storage::kParameter);
  for (std::size_t index = 0; index < before.size(); ++index) {
    EXPECT_EQ(mixed_.value(after[index]).name, forward_.value(before[index]).name);
    EXPECT_EQ(mixed_.value(after[index]).initializer.kind,
              forward_.value(before[index]).initializer.kind);
  }
}

TEST_P(MixedPrecision, GradientsOfTheMasterWeightsAreInFloat32) {
  const Graph graph = differentiate(mixed_, mixed_.outputs().at("loss"));
  for (const ValueId id : graph.with_storage(Storage::kGradient)) {
    EXPECT_EQ(graph.value(id).dtype, DType::kF32) << graph.value(id).name;
  }
  EXPECT_EQ(graph.with_storage(Storage::kGradient).size(),
            graph.with_storage(Storage::kParameter).size());
}

INSTANTIATE_TEST_SUITE_P(Reduced,
                         MixedPrecision,
                         ::testing::Values(DType::kBF16, DType::kF16),
                         [](const auto& instance) {
                           return std::string(core::name(instance.param));
                         });

TEST(MixedPrecisionPass, Float32LeavesTheGraphAsItIs) {
  const Graph forward = testing::small_unet(Mode::kTrain, 2, 8);
  EXPECT_EQ(mixed_precision(forward, DType::kF32).hash(), forward.hash());
}

TEST(MixedPrecisionPass, RefusesWhatIsNoReducedPrecision) {
  const Graph forward = testing::small_unet(Mode::kTrain, 2, 8);
  EXPECT_THROW((void)mixed_precision(forward, DType::kF64), core::CheckFailure);
  EXPECT_THROW((void)mixed_precision(forward, DType::kI32), core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::graph
