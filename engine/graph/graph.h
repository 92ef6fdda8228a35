// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The static graph: typed single-assignment values and the nodes that produce them. A whole
// training step, including backward and optimizer nodes, is one Graph. Built by GraphBuilder
// (graph_builder.h), immutable afterwards; passes take a graph and return a new one.
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/shape.h"
#include "engine/graph/attributes.h"
#include "engine/graph/op_kind.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::graph {

using ValueId = std::int32_t;
using NodeId = std::int32_t;
inline constexpr ValueId kNoValue = -1;
inline constexpr NodeId kNoNode = -1;

/// Whether dropout and batch norm work in training mode, and whether backward nodes will be added.
enum class Mode : std::uint8_t { kTrain, kEvaluate };

/// Where a value lives. Only activations are placed by the memory plan; state values outlive the
/// step.
enum class Storage : std::uint8_t {
  kActivation,
  kInput,           ///< bound by the caller before each step
  kParameter,       ///< trained
  kGradient,        ///< of a parameter; same shape and arena order
  kOptimizerState,  ///< one or two per parameter
  kBuffer,          ///< running statistics
  kScalar,          ///< learning rate, step, seed ...: tensors, never host arguments
};

/// The phase to which the time of a node is attributed, in the order of a step.
enum class Phase : std::uint8_t { kForward, kLoss, kBackward, kAllReduce, kOptimizer };

[[nodiscard]] std::string_view name(Phase phase);
[[nodiscard]] std::string_view name(Storage storage);
[[nodiscard]] std::string_view name(Mode mode);

/// Returns the number by which probes know work of a phase that belongs to none of its nodes.
[[nodiscard]] constexpr NodeId id_outside_nodes(Phase phase) {
  return kNoNode - 1 - static_cast<NodeId>(phase);
}
/// In order.
inline constexpr std::array kPhases{
    Phase::kForward, Phase::kLoss, Phase::kBackward, Phase::kAllReduce, Phase::kOptimizer};
static_assert(kPhases.size() == static_cast<std::size_t>(Phase::kOptimizer) + 1, "all of them");

/// How a state value is initialised; random values depend on (seed, value name), see
/// exec/model_state.h.
struct Initializer {
  enum class Kind : std::uint8_t {
    kZero,
    kConstant,       ///< `value`
    kGlorotUniform,  ///< U(-a, a), a = sqrt(6 / (fan_in + fan_out)). Glorot, Bengio 2010, eq. 16
    kHeNormal,       ///< N(0, 2 / fan_in), cut at two standard deviations as Keras does
    kUniform,        ///< U(-value, value); PyTorch's default layers: value = 1 / sqrt(fan_in)
  };
  Kind kind = Kind::kZero;
  double value = 0.0;
  std::int64_t fan_in = 1;
  std::int64_t fan_out = 1;
};

/// A tensor of the graph. The shape is logical: N C H W, plain row-major for other ranks.
struct Value {
  ValueId id = kNoValue;
  std::string name;
  core::DType dtype = core::DType::kF32;
  core::Shape shape;
  Storage storage = Storage::kActivation;
  NodeId producer = kNoNode;     ///< kNoNode for inputs and state
  ValueId parameter = kNoValue;  ///< the parameter to which a gradient or optimizer state belongs
  Initializer initializer{};     ///< of parameters, buffers, optimizer state, scalars

  /// Size of the elements in bytes, without padding by a layout.
  [[nodiscard]] std::size_t dense_bytes() const {
    return static_cast<std::size_t>(shape.elements()) * core::size_of(dtype);
  }
};

/// One operation. Operand order is fixed per op (op_kind.h).
struct Node {
  NodeId id = kNoNode;
  OpKind op = OpKind::kAdd;
  std::string name;
  Phase phase = Phase::kForward;
  Attributes attributes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<ValueId> updates;  ///< state written in place
  NodeId forward = kNoNode;      ///< the node that a backward node differentiates

  template <typename T>
  [[nodiscard]] const T& as() const {
    return std::get<T>(attributes);
  }
};

/// A directed acyclic graph in a valid execution order: each node comes after its producers.
class Graph {
 public:
  [[nodiscard]] Mode mode() const { return mode_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }
  [[nodiscard]] const Node& node(NodeId id) const;
  [[nodiscard]] const Value& value(ValueId id) const;

  /// Values that the caller binds, in order of declaration.
  [[nodiscard]] const std::vector<ValueId>& inputs() const { return inputs_; }
  /// Values that can be read after the step, by name ("loss", "prediction", ...).
  [[nodiscard]] const std::map<std::string, ValueId>& outputs() const { return outputs_; }
  /// State values of one kind, in order of declaration.
  [[nodiscard]] std::vector<ValueId> with_storage(Storage storage) const;
  /// The value with this name, if any. Names are unique.
  [[nodiscard]] std::optional<ValueId> find(std::string_view name) const;
  /// The gradient of a parameter, kNoValue before differentiate().
  [[nodiscard]] ValueId gradient_of(ValueId parameter) const;

  /// For each value, the nodes that read it (as input or update), in execution order.
  [[nodiscard]] std::vector<std::vector<NodeId>> readers() const;

  /// FNV-1a hash of ops, attributes, shapes, dtypes and edges. The run stops if ranks differ in it.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  friend class GraphBuilder;

  Mode mode_ = Mode::kTrain;
  std::vector<Node> nodes_;
  std::vector<Value> values_;
  std::vector<ValueId> inputs_;
  std::map<std::string, ValueId> outputs_;
  std::map<std::string, ValueId, std::less<>> by_name_;
};

}  // namespace dlbench::graph
