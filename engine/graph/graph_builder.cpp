// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph_builder.h"

#include "engine/core/check.h"
#include "engine/graph/op_def.h"

#include <utility>

namespace dlbench::graph {

GraphBuilder::GraphBuilder(Mode mode) { graph_.mode_ = mode; }

GraphBuilder::GraphBuilder(Graph graph) : graph_(std::move(graph)) {}

ValueId GraphBuilder::add_value(Value value) {
  value.id = static_cast<ValueId>(graph_.values_.size());
  const bool inserted = graph_.by_name_.emplace(value.name, value.id).second;
  DLBENCH_CHECK(inserted) << "two values named " << value.name;
  graph_.values_.push_back(std::move(value));
  return graph_.values_.back().id;
}

ValueId GraphBuilder::add_input(std::string name, core::DType dtype, const core::Shape& shape) {
  const ValueId id = add_value(
      {.name = std::move(name), .dtype = dtype, .shape = shape, .storage = Storage::kInput});
  graph_.inputs_.push_back(id);
  return id;
}

ValueId GraphBuilder::add_state(Storage storage,
                                std::string name,
                                core::DType dtype,
                                const core::Shape& shape,
                                const Initializer& initializer,
                                ValueId parameter) {
  DLBENCH_CHECK(storage != Storage::kActivation && storage != Storage::kInput) << name;
  return add_value({.name = std::move(name),
                    .dtype = dtype,
                    .shape = shape,
                    .storage = storage,
                    .parameter = parameter,
                    .initializer = initializer});
}

ValueId GraphBuilder::scalar(std::string_view name, core::DType dtype, double initial) {
  if (const auto known = graph_.find(name); known.has_value()) {
    DLBENCH_CHECK(graph_.value(*known).storage == Storage::kScalar &&
                  graph_.value(*known).dtype == dtype)
        << "scalar " << name << " asked for with another type";
    return *known;
  }
  const Initializer initializer{.kind = Initializer::Kind::kConstant, .value = initial};
  return add_state(Storage::kScalar, std::string(name), dtype, core::Shape{}, initializer);
}

NodeId GraphBuilder::add_node(NodeSpec spec) {
  Node node{.id = static_cast<NodeId>(graph_.nodes_.size()),
            .op = spec.op,
            .name = std::move(spec.name),
            .phase = spec.phase,
            .attributes = std::move(spec.attributes),
            .inputs = std::move(spec.inputs),
            .outputs = {},
            .updates = std::move(spec.updates),
            .forward = spec.forward};
  for (const OutputSpec& output : op_def(node.op).infer(graph_, node)) {
    const ValueId id = add_value({.name = node.name + std::string(output.suffix),
                                  .dtype = output.dtype,
                                  .shape = output.shape,
                                  .producer = node.id});
    node.outputs.push_back(id);
  }
  graph_.nodes_.push_back(std::move(node));
  return graph_.nodes_.back().id;
}

ValueId GraphBuilder::add(NodeSpec spec) {
  const NodeId id = add_node(std::move(spec));
  return graph_.node(id).outputs.at(0);
}

void GraphBuilder::mark_output(std::string name, ValueId value) {
  graph_.outputs_[std::move(name)] = value;
}

void GraphBuilder::make_gradient(ValueId id, ValueId parameter) {
  Value& value = graph_.values_.at(static_cast<std::size_t>(id));
  DLBENCH_CHECK(value.storage == Storage::kActivation) << value.name << " is no activation";
  const Value& trained = graph_.value(parameter);
  DLBENCH_CHECK(value.shape == trained.shape && value.dtype == trained.dtype)
      << value.name << " does not match " << trained.name;
  graph_.by_name_.erase(value.name);
  value.name = "grad/" + trained.name;
  value.storage = Storage::kGradient;
  value.parameter = parameter;
  graph_.by_name_.emplace(value.name, id);
}

void GraphBuilder::replace_inputs(NodeId id, std::vector<ValueId> inputs) {
  Node& node = graph_.nodes_.at(static_cast<std::size_t>(id));
  node.inputs = std::move(inputs);
  const std::vector<OutputSpec> outputs = op_def(node.op).infer(graph_, node);
  DLBENCH_CHECK(outputs.size() == node.outputs.size()) << node.name;
  for (std::size_t index = 0; index < outputs.size(); ++index) {
    const Value& value = graph_.value(node.outputs[index]);
    DLBENCH_CHECK(outputs[index].dtype == value.dtype && outputs[index].shape == value.shape)
        << value.name << " would become another kind of value";
  }
}

void GraphBuilder::reorder(const std::vector<NodeId>& order) {
  DLBENCH_CHECK(order.size() == graph_.nodes_.size()) << "an order must name every node once";
  std::vector<NodeId> new_id(order.size(), kNoNode);
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (const NodeId old : order) {
    NodeId& position = new_id.at(static_cast<std::size_t>(old));
    DLBENCH_CHECK(position == kNoNode) << "an order must name every node once, not twice: " << old;
    position = static_cast<NodeId>(nodes.size());
    nodes.push_back(graph_.node(old));
  }
  for (Node& node : nodes) {
    node.id = new_id.at(static_cast<std::size_t>(node.id));
    if (node.forward != kNoNode) {
      node.forward = new_id.at(static_cast<std::size_t>(node.forward));
    }
  }
  for (Value& value : graph_.values_) {
    if (value.producer != kNoNode) {
      value.producer = new_id.at(static_cast<std::size_t>(value.producer));
    }
  }
  graph_.nodes_ = std::move(nodes);
  for (const Node& node : graph_.nodes_) {
    for (const ValueId id : node.inputs) {
      DLBENCH_CHECK(graph_.value(id).producer < node.id)
          << node.name << " stands before its producer";
    }
  }
}

std::string GraphBuilder::unique_name(const std::string& name) const {
  if (!graph_.find(name).has_value()) {
    return name;
  }
  for (int suffix = 1;; ++suffix) {
    std::string candidate = name + "_" + std::to_string(suffix);
    if (!graph_.find(candidate).has_value()) {
      return candidate;
    }
  }
}

Graph GraphBuilder::finish() && { return std::move(graph_); }

}  // namespace dlbench::graph
