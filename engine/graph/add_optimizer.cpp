// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/check.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/passes.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::graph {
namespace {

struct OptimizerInfo {
  OptimizerKind kind;
  std::string_view name;
  OpKind op;
  std::vector<std::string> states;
};

const OptimizerInfo& info(OptimizerKind kind) {
  static const std::array<OptimizerInfo, 4> table{{
      {OptimizerKind::kSgd, "sgd", OpKind::kSgd, {"velocity"}},
      {OptimizerKind::kAdam, "adam", OpKind::kAdam, {"m", "v"}},
      {OptimizerKind::kNadam, "nadam", OpKind::kNadam, {"m", "v"}},
      {OptimizerKind::kAdadelta, "adadelta", OpKind::kAdadelta, {"square", "delta"}},
  }};
  return table.at(static_cast<std::size_t>(kind));
}

// Gradients by bucket; one bucket with all of them if the graph has no all-reduce nodes.
std::vector<std::vector<ValueId>> gradient_groups(const Graph& graph) {
  std::vector<std::vector<ValueId>> groups;
  for (const Node& node : graph.nodes()) {
    if (node.op == OpKind::kAllReduceStart) {
      groups.push_back(node.inputs);
    }
  }
  if (!groups.empty()) {
    return groups;
  }
  std::vector<ValueId> all;
  for (const ValueId parameter : graph.with_storage(Storage::kParameter)) {
    if (const ValueId gradient = graph.gradient_of(parameter); gradient != kNoValue) {
      all.push_back(gradient);
    }
  }
  DLBENCH_CHECK(!all.empty()) << "differentiate() comes before add_optimizer()";
  groups.push_back(std::move(all));
  return groups;
}

std::string state_name(const OptimizerInfo& optimizer,
                       std::string_view state,
                       std::string_view parameter) {
  return std::string(optimizer.name).append("/").append(state).append("/").append(parameter);
}

// The states of the optimizer for all parameters that have a gradient, in arena order:
// state_of[k][parameter].
std::vector<std::vector<ValueId>> add_states(GraphBuilder& builder,
                                             const OptimizerInfo& optimizer) {
  std::vector<std::vector<ValueId>> state_of;
  for (const std::string& state : optimizer.states) {
    std::vector<ValueId> ids(builder.graph().values().size(), kNoValue);
    for (const ValueId parameter : builder.graph().with_storage(Storage::kParameter)) {
      if (builder.graph().gradient_of(parameter) == kNoValue) {
        continue;
      }
      const Value value = builder.graph().value(parameter);
      ids.at(static_cast<std::size_t>(parameter)) =
          builder.add_state(Storage::kOptimizerState,
                            state_name(optimizer, state, value.name),
                            value.dtype,
                            value.shape,
                            {},
                            parameter);
    }
    state_of.push_back(std::move(ids));
  }
  return state_of;
}

}  // namespace

std::string_view name(OptimizerKind kind) { return info(kind).name; }

std::vector<std::string> state_names(OptimizerKind kind, std::string_view parameter) {
  std::vector<std::string> names;
  for (const std::string& state : info(kind).states) {
    names.push_back(state_name(info(kind), state, parameter));
  }
  return names;
}

Graph add_optimizer(const Graph& graph, const OptimizerSpec& spec) {
  const OptimizerInfo& optimizer = info(spec.kind);
  const auto groups = gradient_groups(graph);
  GraphBuilder builder(graph);
  const ValueId learning_rate =
      builder.scalar("learning_rate", core::DType::kF32, spec.learning_rate);
  const ValueId step = builder.scalar("step", core::DType::kI64, 0);
  const ValueId coefficients =
      builder.add_state(Storage::kScalar,
                        "coefficients",
                        core::DType::kF64,
                        core::Shape{8},
                        {.kind = Initializer::Kind::kConstant, .value = 1.0});
  const auto state_of = add_states(builder, optimizer);

  builder.add_node({.op = OpKind::kOptimizerAdvance,
                    .name = "optimizer_advance",
                    .attributes = spec.attributes,
                    .inputs = {},
                    .updates = {step, coefficients},
                    .phase = Phase::kOptimizer});
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::vector<ValueId> inputs{learning_rate, coefficients};
    std::vector<ValueId> updates;
    for (const ValueId gradient : groups[group]) {
      inputs.push_back(gradient);
      updates.push_back(graph.value(gradient).parameter);
    }
    for (const auto& ids : state_of) {
      for (const ValueId gradient : groups[group]) {
        updates.push_back(ids.at(static_cast<std::size_t>(graph.value(gradient).parameter)));
      }
    }
    builder.add_node({.op = optimizer.op,
                      .name = std::string(optimizer.name) + "/" + std::to_string(group),
                      .attributes = spec.attributes,
                      .inputs = std::move(inputs),
                      .updates = std::move(updates),
                      .phase = Phase::kOptimizer});
  }
  return std::move(builder).finish();
}

}  // namespace dlbench::graph
