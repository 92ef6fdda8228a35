// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the engine knows about an op besides its kernels: shape rule, gradient rule, cost,
// precision. Each family of ops defines its rows in one file of engine/graph/ops/.
#pragma once

#include "engine/graph/graph.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::graph {

class GraphBuilder;

/// dtype and logical shape of one output, and the suffix of its name ("" for the first).
struct OutputSpec {
  core::DType dtype = core::DType::kF32;
  core::Shape shape;
  std::string_view suffix;
};

/// Work of one node, counted from logical shapes, without padding lanes or recomputation.
/// A multiply-add is one MAC; FLOP = 2 x MAC for contractions, otherwise arithmetic operations.
struct Cost {
  std::int64_t macs = 0;
  std::int64_t flop = 0;
  std::int64_t bytes = 0;  ///< compulsory traffic: each operand read once, each result written once
};

/// How mixed precision treats an op (passes.h).
enum class PrecisionClass : std::uint8_t {
  kReduced,  ///< runs in the reduced precision: contractions
  kFollow,   ///< runs in the precision of its first input
  kFloat32,  ///< inputs are cast back to f32: losses, softmax, metrics
  kNeutral,  ///< integers, state, communication: never touched
};

/// The argument of a gradient rule: the node, the gradients of its outputs, and where to put the
/// gradients of its inputs.
class GradientContext {
 public:
  GradientContext(GraphBuilder& builder,
                  NodeId node,
                  std::vector<ValueId> output_gradients,
                  std::vector<bool> needed);

  [[nodiscard]] GraphBuilder& builder() { return builder_; }
  /// A copy: adding nodes may move the graph's storage.
  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] ValueId input(std::size_t index) const { return node_.inputs.at(index); }
  [[nodiscard]] ValueId output(std::size_t index) const { return node_.outputs.at(index); }
  /// Gradient of an output; kNoValue if nothing differentiable reads it.
  [[nodiscard]] ValueId output_gradient(std::size_t index = 0) const;
  /// Whether the gradient of this input is needed: rules skip the work for others.
  [[nodiscard]] bool needs(std::size_t input_index) const { return needed_.at(input_index); }
  /// Reports the gradient of an input.
  void set(std::size_t input_index, ValueId gradient);

  /// Adds a backward node of this node; returns its id. The name is "<node>/<op>".
  NodeId add_backward(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {});
  /// As add_backward(); returns the first output of the new node.
  ValueId add_backward_value(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {});

  [[nodiscard]] const std::vector<ValueId>& input_gradients() const { return input_gradients_; }

 private:
  GraphBuilder& builder_;
  Node node_;
  std::vector<ValueId> output_gradients_;
  std::vector<bool> needed_;
  std::vector<ValueId> input_gradients_;
};

/// One row of the op table.
struct OpDef {
  OpKind kind;
  std::string_view name;
  PrecisionClass precision;
  /// Infers outputs; throws core::Error(kShape) when operands do not fit.
  std::vector<OutputSpec> (*infer)(const Graph& graph, const Node& node);
  /// Adds backward nodes; nullptr if the op is not differentiable.
  void (*differentiate)(GradientContext& context);
  Cost (*cost)(const Graph& graph, const Node& node);
};

/// The definition of an op.
[[nodiscard]] const OpDef& op_def(OpKind kind);

/// Whether an op reads the content of an input. The backward ops of op_kind.h take some operands
/// for their shape and dtype only: those cause no memory traffic, and their memory may already be
/// reused.
[[nodiscard]] bool reads_input(OpKind kind, std::size_t index);

/// Inputs of a kSgd, kAdam, kNadam or kAdadelta node, which vary in number: gradients from index
/// kFirstGradient on, followed by found_inf if there is one.
inline constexpr std::size_t kFirstGradient = 2;
[[nodiscard]] std::size_t gradient_count(const Node& update);
[[nodiscard]] bool reads_found_inf(const Node& update);

/// All rows, in the order of OpKind.
[[nodiscard]] std::span<const OpDef> all_op_defs();

}  // namespace dlbench::graph
