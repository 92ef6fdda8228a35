// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Reverse-mode differentiation: walks the nodes backwards, sums the gradients that arrive at each
// value, and calls the op's gradient rule to propagate them.
#include "engine/core/error.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"

#include <string>
#include <utility>

namespace dlbench::graph {
namespace {

class Differentiator {
 public:
  // Gradients are computed with respect to `operands`.
  Differentiator(const Graph& graph, const std::vector<ValueId>& operands)
      : forward_(graph), builder_(graph), arrived_(graph.values().size()) {
    mark_dependent(operands);
  }

  [[nodiscard]] GraphBuilder& builder() { return builder_; }

  // Adds `gradient`, a value of the graph, to the gradient of `value`, in addition to what arrives
  // through other nodes.
  void seed(ValueId value, ValueId gradient) {
    arrived_.at(static_cast<std::size_t>(value)).push_back(gradient);
  }

  void run() {
    const auto& nodes = forward_.nodes();
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      differentiate_node(*node);
    }
  }

  // The sum of all gradients that arrived at a value.
  ValueId total(ValueId id) {
    auto& arrived = arrived_.at(static_cast<std::size_t>(id));
    if (arrived.empty()) {
      return kNoValue;
    }
    while (arrived.size() > 1) {
      const ValueId last = arrived.back();
      arrived.pop_back();
      arrived.back() =
          builder_.add({.op = OpKind::kAdd,
                        .name = builder_.unique_name(forward_.value(id).name + "/sum_gradients"),
                        .inputs = {arrived.back(), last},
                        .phase = Phase::kBackward});
    }
    return arrived.front();
  }

 private:
  // A value depends on an operand if it is one or is computed from a value that does.
  void mark_dependent(const std::vector<ValueId>& operands) {
    dependent_.assign(forward_.values().size(), false);
    for (const ValueId operand : operands) {
      dependent_.at(static_cast<std::size_t>(operand)) = true;
    }
    for (const Node& node : forward_.nodes()) {
      bool any = false;
      for (const ValueId id : node.inputs) {
        any = any || dependent_.at(static_cast<std::size_t>(id));
      }
      for (const ValueId id : node.outputs) {
        dependent_.at(static_cast<std::size_t>(id)) =
            any && core::is_float(forward_.value(id).dtype);
      }
    }
  }

  void differentiate_node(const Node& node) {
    std::vector<ValueId> output_gradients;
    bool any_gradient = false;
    for (const ValueId id : node.outputs) {
      output_gradients.push_back(total(id));
      any_gradient = any_gradient || output_gradients.back() != kNoValue;
    }
    std::vector<bool> needed;
    bool any_needed = false;
    for (const ValueId id : node.inputs) {
      needed.push_back(dependent_.at(static_cast<std::size_t>(id)));
      any_needed = any_needed || needed.back();
    }
    if (!any_gradient || !any_needed) {
      return;
    }
    const OpDef& def = op_def(node.op);
    if (def.differentiate == nullptr) {
      throw core::Error(core::ErrorCode::kShape,
                        "the loss depends on '" + node.name + "', but " + std::string(def.name) +
                            " has no gradient rule");
    }
    GradientContext context(builder_, node.id, std::move(output_gradients), std::move(needed));
    def.differentiate(context);
    for (std::size_t index = 0; index < node.inputs.size(); ++index) {
      if (const ValueId gradient = context.input_gradients().at(index); gradient != kNoValue) {
        arrived_.at(static_cast<std::size_t>(node.inputs[index])).push_back(gradient);
      }
    }
  }

  const Graph& forward_;
  GraphBuilder builder_;
  std::vector<std::vector<ValueId>> arrived_;
  std::vector<bool> dependent_;
};

}  // namespace

Graph differentiate(const Graph& graph, ValueId loss) {
  const Value& value = graph.value(loss);
  if (value.shape.rank() != 0 || !core::is_float(value.dtype)) {
    throw core::Error(
        core::ErrorCode::kShape,
        "the loss '" + value.name + "' must be a float scalar, not " + value.shape.to_string());
  }
  const std::vector<ValueId> parameters = graph.with_storage(Storage::kParameter);
  Differentiator differentiator(graph, parameters);
  differentiator.seed(loss, differentiator.builder().scalar("loss_gradient", value.dtype, 1.0));
  differentiator.run();
  for (const ValueId parameter : parameters) {
    if (const ValueId gradient = differentiator.total(parameter); gradient != kNoValue) {
      differentiator.builder().make_gradient(gradient, parameter);
    }
  }
  return std::move(differentiator.builder()).finish();
}

VectorJacobian vector_jacobian(const Graph& graph,
                               const std::vector<std::pair<ValueId, ValueId>>& seeds,
                               const std::vector<ValueId>& operands) {
  Differentiator differentiator(graph, operands);
  for (const auto& [value, gradient] : seeds) {
    differentiator.seed(value, gradient);
  }
  differentiator.run();
  VectorJacobian result;
  for (const ValueId operand : operands) {
    result.gradients.push_back(differentiator.total(operand));
  }
  result.graph = std::move(differentiator.builder()).finish();
  return result;
}

}  // namespace dlbench::graph
