// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The only way to make or extend a Graph. Passes use the primitives (add_node); networks use the
// layer functions of layers.h, which build on it.
#pragma once

#include "engine/graph/graph.h"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::graph {

/// Everything add_node() needs to make a node; outputs are inferred.
struct NodeSpec {
  OpKind op = OpKind::kAdd;
  std::string name;
  Attributes attributes{};
  std::vector<ValueId> inputs;
  std::vector<ValueId> updates{};
  Phase phase = Phase::kForward;
  NodeId forward = kNoNode;
};

/// Appends values and nodes in execution order. Shapes and dtypes of outputs are inferred by the
/// op; operands that do not fit throw core::Error(kShape) naming the node.
class GraphBuilder {
 public:
  explicit GraphBuilder(Mode mode);
  /// Extends a finished graph.
  explicit GraphBuilder(Graph graph);

  [[nodiscard]] const Graph& graph() const { return graph_; }

  ValueId add_input(std::string name, core::DType dtype, const core::Shape& shape);
  /// Adds a state value. Names are unique.
  ValueId add_state(Storage storage,
                    std::string name,
                    core::DType dtype,
                    const core::Shape& shape,
                    const Initializer& initializer,
                    ValueId parameter = kNoValue);
  /// A scalar of the model state, added on first use ("learning_rate" f32, "step" i64, ...).
  ValueId scalar(std::string_view name, core::DType dtype, double initial);

  /// Adds a node and its inferred outputs; returns its id.
  NodeId add_node(NodeSpec spec);
  /// As add_node(), but returns the first output of the node.
  ValueId add(NodeSpec spec);

  void mark_output(std::string name, ValueId value);
  /// Turns an activation into the gradient of `parameter` and gives it the name "grad/<parameter>".
  void make_gradient(ValueId value, ValueId parameter);
  /// Replaces the inputs of a node by others that leave its outputs' shapes and dtypes unchanged,
  /// so that the rest of the graph stays valid.
  void replace_inputs(NodeId node, std::vector<ValueId> inputs);
  /// Changes the execution order of the nodes to a valid other one; node ids change with it.
  void reorder(const std::vector<NodeId>& order);
  /// A name not used yet: `name`, `name_1`, ...
  [[nodiscard]] std::string unique_name(const std::string& name) const;

  [[nodiscard]] Graph finish() &&;

 private:
  ValueId add_value(Value value);

  Graph graph_;
};

}  // namespace dlbench::graph
