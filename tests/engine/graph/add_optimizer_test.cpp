// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/check.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"
#include "engine/graph/passes.h"
#include "tests/engine/graph/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::graph {
namespace {

struct OptimizerCase {
  OptimizerKind kind;
  OpKind op;
  std::vector<std::string> states;
};

class AddOptimizer : public ::testing::TestWithParam<OptimizerCase> {};

TEST_P(AddOptimizer, GivesEveryParameterItsStatesInArenaOrder) {
  const Graph graph = testing::training_step(testing::small_unet(Mode::kTrain, 2, 8),
                                             {.kind = GetParam().kind, .learning_rate = 0.25});
  const std::vector<ValueId> parameters = graph.with_storage(Storage::kParameter);
  const std::vector<ValueId> states = graph.with_storage(Storage::kOptimizerState);
  ASSERT_EQ(states.size(), parameters.size() * GetParam().states.size());
  for (std::size_t index = 0; index < states.size(); ++index) {
    const Value& state = graph.value(states[index]);
    const Value& parameter = graph.value(parameters[index % parameters.size()]);
    EXPECT_EQ(state.parameter, parameter.id);
    EXPECT_TRUE(state.shape == parameter.shape && state.dtype == parameter.dtype);
    EXPECT_EQ(state.name,
              std::string(name(GetParam().kind)) + "/" +
                  GetParam().states[index / parameters.size()] + "/" + parameter.name);
    EXPECT_EQ(state.initializer.kind, Initializer::Kind::kZero);
  }
  EXPECT_EQ(graph.value(graph.find("learning_rate").value()).initializer.value, 0.25);
}

TEST_P(AddOptimizer, UpdatesEveryBucketAfterItsReduction) {
  const Graph graph = testing::training_step(testing::small_unet(Mode::kTrain, 2, 8),
                                             {.kind = GetParam().kind},
                                             {.first_cap_bytes = 32, .cap_bytes = 200});
  std::vector<ValueId> updated;
  std::vector<std::vector<ValueId>> buckets;
  std::size_t group = 0;
  bool advanced = false;
  for (const Node& node : graph.nodes()) {
    if (node.op == OpKind::kAllReduceStart) {
      buckets.push_back(node.inputs);
    }
    if (node.op == OpKind::kOptimizerAdvance) {
      advanced = true;
      EXPECT_EQ(graph.value(node.updates[0]).name, "step");
      EXPECT_EQ(graph.value(node.updates[1]).name, "coefficients");
    }
    if (node.op != GetParam().op) {
      EXPECT_FALSE(advanced && node.phase != Phase::kOptimizer) << node.name;
      continue;
    }
    EXPECT_TRUE(advanced) << node.name << " runs before the coefficients of its step are known";
    ASSERT_LT(group, buckets.size());
    EXPECT_TRUE(std::equal(
        node.inputs.begin() + 2, node.inputs.end(), buckets[group].begin(), buckets[group].end()));
    ++group;
    EXPECT_EQ(graph.value(node.inputs[0]).name, "learning_rate");
    EXPECT_EQ(graph.value(node.inputs[1]).name, "coefficients");
    const std::size_t members = node.inputs.size() - 2;
    ASSERT_EQ(node.updates.size(), members * (1 + GetParam().states.size()));
    for (std::size_t index = 0; index < node.updates.size(); ++index) {
      const Value& gradient = graph.value(node.inputs[2 + index % members]);
      const Value& target = graph.value(node.updates[index]);
      EXPECT_EQ(index < members ? target.id : target.parameter, gradient.parameter);
    }
    updated.insert(updated.end(),
                   node.updates.begin(),
                   node.updates.begin() + static_cast<std::ptrdiff_t>(members));
  }
  std::sort(updated.begin(), updated.end());
  EXPECT_EQ(updated, graph.with_storage(Storage::kParameter)) << "each one once";
}

INSTANTIATE_TEST_SUITE_P(
    Kinds,
    AddOptimizer,
    ::testing::Values(OptimizerCase{OptimizerKind::kSgd, OpKind::kSgd, {"velocity"}},
                      OptimizerCase{OptimizerKind::kAdam, OpKind::kAdam, {"m", "v"}},
                      OptimizerCase{OptimizerKind::kNadam, OpKind::kNadam, {"m", "v"}},
                      OptimizerCase{
                          OptimizerKind::kAdadelta, OpKind::kAdadelta, {"square", "delta"}}),
    [](const auto& instance) { return std::string(name(instance.param.kind)); });

TEST(AddOptimizerPass, WithoutBucketsOneNodeUpdatesAll) {
  const Graph forward = testing::small_classifier(Mode::kTrain, 2);
  const Graph graph = add_optimizer(differentiate(forward, forward.outputs().at("loss")),
                                    {.kind = OptimizerKind::kSgd});
  const Node& last = graph.nodes().back();
  EXPECT_EQ(last.op, OpKind::kSgd);
  EXPECT_EQ(last.inputs.size() - 2, graph.with_storage(Storage::kParameter).size());
}

TEST(AddOptimizerPass, AParameterWithoutAGradientHasNoState) {
  GraphBuilder builder(Mode::kTrain);
  const ValueId x = builder.add_input("x", core::DType::kF32, {2, 4});
  const ValueId label = builder.add_input("label", core::DType::kI32, {2});
  builder.mark_output("side", linear(builder, x, "unused", {.features_out = 3}));
  const ValueId logits = linear(builder, x, "fc", {.features_out = 3, .bias = false});
  const ValueId loss = nll_loss(builder, log_softmax(builder, logits, "logp"), label, "loss");
  const Graph graph = add_optimizer(differentiate(std::move(builder).finish(), loss),
                                    {.kind = OptimizerKind::kAdam});
  ASSERT_EQ(graph.with_storage(Storage::kParameter).size(), 3U);
  for (const ValueId state : graph.with_storage(Storage::kOptimizerState)) {
    EXPECT_EQ(graph.value(graph.value(state).parameter).name, "fc.weight");
  }
  EXPECT_EQ(graph.with_storage(Storage::kOptimizerState).size(), 2U) << "both moments";
}

TEST(AddOptimizerPass, BeforeDifferentiateItIsAProgrammerError) {
  EXPECT_THROW((void)add_optimizer(testing::small_classifier(Mode::kTrain, 2), {}),
               core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::graph
