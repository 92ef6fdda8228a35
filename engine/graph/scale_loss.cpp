// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/check.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::graph {
namespace {

bool is_update(OpKind op) {
  return op == OpKind::kSgd || op == OpKind::kAdam || op == OpKind::kNadam ||
         op == OpKind::kAdadelta;
}

class LossScaler {
 public:
  LossScaler(const Graph& graph, const LossScaling& scaling)
      : before_(graph),
        builder_(graph),
        rule_(scaling.rule),
        loss_scale_(builder_.scalar("loss_scale", core::DType::kF32, scaling.initial)),
        found_inf_(builder_.scalar("found_inf", core::DType::kF32, 0.0)) {}

  Graph run() && {
    const NodeId seed = scale_seed();
    std::vector<NodeId> unscale;
    for (const Node& node : before_.nodes()) {
      if (is_update(node.op)) {
        unscale.push_back(add_unscale(node, unscale.size()));
      }
      if (is_update(node.op) || node.op == OpKind::kOptimizerAdvance) {
        std::vector<ValueId> inputs = node.inputs;
        inputs.push_back(found_inf_);
        builder_.replace_inputs(node.id, std::move(inputs));
      }
    }
    DLBENCH_CHECK(!unscale.empty()) << "add_optimizer() comes before scale_loss()";
    std::vector<NodeId> order;
    for (const Node& node : before_.nodes()) {
      if (node.id == first_seeded_) {
        order.push_back(seed);
      }
      if (node.op == OpKind::kOptimizerAdvance) {  // after all waits, before all updates
        order.insert(order.end(), unscale.begin(), unscale.end());
      }
      order.push_back(node.id);
    }
    order.push_back(add_update_of_scale());
    builder_.reorder(order);
    return std::move(builder_).finish();
  }

 private:
  // Adds the scaled seed and lets all readers of the plain seed read it instead.
  NodeId scale_seed() {
    const std::optional<ValueId> plain = before_.find("loss_gradient");
    DLBENCH_CHECK(plain.has_value()) << "differentiate() comes before scale_loss()";
    const NodeId node = builder_.add_node({.op = OpKind::kMultiply,
                                           .name = "scaled_loss_gradient",
                                           .inputs = {*plain, loss_scale_},
                                           .phase = Phase::kBackward});
    const ValueId scaled = builder_.graph().node(node).outputs.at(0);
    const auto readers = before_.readers();
    for (const NodeId reader : readers.at(static_cast<std::size_t>(*plain))) {
      std::vector<ValueId> inputs = before_.node(reader).inputs;
      std::ranges::replace(inputs, *plain, scaled);
      builder_.replace_inputs(reader, std::move(inputs));
      first_seeded_ = first_seeded_ == kNoNode ? reader : std::min(first_seeded_, reader);
    }
    DLBENCH_CHECK(first_seeded_ != kNoNode) << "nothing reads the seed";
    return node;
  }

  NodeId add_unscale(const Node& update, std::size_t group) {
    const auto first = update.inputs.begin() + kFirstGradient;
    std::vector<ValueId> updates(first,
                                 first + static_cast<std::ptrdiff_t>(gradient_count(update)));
    updates.push_back(found_inf_);
    return builder_.add_node({.op = OpKind::kUnscaleGradients,
                              .name = "unscale_gradients/" + std::to_string(group),
                              .inputs = {loss_scale_},
                              .updates = std::move(updates),
                              .phase = Phase::kOptimizer});
  }

  NodeId add_update_of_scale() {
    const ValueId good_steps = builder_.scalar("good_steps", core::DType::kI64, 0.0);
    const ValueId skipped_steps = builder_.scalar("skipped_steps", core::DType::kI64, 0.0);
    return builder_.add_node({.op = OpKind::kUpdateLossScale,
                              .name = "update_loss_scale",
                              .attributes = rule_,
                              .inputs = {},
                              .updates = {loss_scale_, found_inf_, good_steps, skipped_steps},
                              .phase = Phase::kOptimizer});
  }

  const Graph& before_;
  GraphBuilder builder_;
  LossScaleAttributes rule_;
  ValueId loss_scale_;
  ValueId found_inf_;
  NodeId first_seeded_ = kNoNode;
};

}  // namespace

Graph scale_loss(const Graph& graph, const LossScaling& scaling) {
  return LossScaler(graph, scaling).run();
}

}  // namespace dlbench::graph
