// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Rebuilds a forward graph with explicit casts. Parameters stay in f32; their reduced copies are
// values of the step. The PrecisionClass of an op (op_def.h) determines the casts of its inputs.
#include "engine/core/check.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"

#include <map>
#include <string>
#include <utility>

namespace dlbench::graph {
namespace {

class Rewriter {
 public:
  Rewriter(const Graph& graph, core::DType reduced)
      : old_(graph), reduced_(reduced), builder_(graph.mode()) {}

  Graph run() && {
    for (const Value& value : old_.values()) {
      if (value.producer == kNoNode) {
        copy_value(value);
      }
    }
    for (const Node& node : old_.nodes()) {
      copy_node(node);
    }
    for (const auto& [name, id] : old_.outputs()) {
      builder_.mark_output(name, mapped_.at(id));
    }
    return std::move(builder_).finish();
  }

 private:
  void copy_value(const Value& value) {
    mapped_[value.id] =
        value.storage == Storage::kInput
            ? builder_.add_input(value.name, value.dtype, value.shape)
            : builder_.add_state(
                  value.storage,
                  value.name,
                  value.dtype,
                  value.shape,
                  value.initializer,
                  value.parameter == kNoValue ? kNoValue : mapped_.at(value.parameter));
  }

  // The value in another float dtype; each value is cast at most once per dtype.
  ValueId cast(ValueId id, core::DType dtype, Phase phase) {
    const Value& value = builder_.graph().value(id);
    if (value.dtype == dtype || !core::is_float(value.dtype)) {
      return id;
    }
    const auto known = casts_.find({id, dtype});
    if (known != casts_.end()) {
      return known->second;
    }
    const std::string name =
        builder_.unique_name(value.name + "/" + std::string(core::name(dtype)));
    const ValueId result = builder_.add({.op = OpKind::kCast,
                                         .name = name,
                                         .attributes = CastAttributes{dtype},
                                         .inputs = {id},
                                         .phase = phase});
    casts_[{id, dtype}] = result;
    return result;
  }

  // Whether an input is cast: per-channel operands of batch norm stay f32, only activations follow.
  [[nodiscard]] bool follows(const Node& node, std::size_t index) const {
    const bool statistics = node.op == OpKind::kBatchNorm || node.op == OpKind::kBatchNormInference;
    return !(statistics && index > 0);
  }

  void copy_node(const Node& node) {
    std::vector<ValueId> inputs;
    for (std::size_t index = 0; index < node.inputs.size(); ++index) {
      ValueId id = mapped_.at(node.inputs[index]);
      switch (op_def(node.op).precision) {
        case PrecisionClass::kReduced:
          id = cast(id, reduced_, node.phase);
          break;
        case PrecisionClass::kFollow:
          if (index > 0 && follows(node, index)) {
            id = cast(id, builder_.graph().value(inputs.front()).dtype, node.phase);
          }
          break;
        case PrecisionClass::kFloat32:
          id = cast(id, core::DType::kF32, node.phase);
          break;
        case PrecisionClass::kNeutral:
          break;
      }
      inputs.push_back(id);
    }
    std::vector<ValueId> updates;
    for (const ValueId id : node.updates) {
      updates.push_back(mapped_.at(id));
    }
    const NodeId copy = builder_.add_node({.op = node.op,
                                           .name = node.name,
                                           .attributes = node.attributes,
                                           .inputs = std::move(inputs),
                                           .updates = std::move(updates),
                                           .phase = node.phase});
    const std::vector<ValueId> outputs = builder_.graph().node(copy).outputs;
    for (std::size_t index = 0; index < outputs.size(); ++index) {
      mapped_[node.outputs[index]] = outputs[index];
    }
  }

  const Graph& old_;
  core::DType reduced_;
  GraphBuilder builder_;
  std::map<ValueId, ValueId> mapped_;
  std::map<std::pair<ValueId, core::DType>, ValueId> casts_;
};

}  // namespace

Graph mixed_precision(const Graph& graph, core::DType reduced) {
  if (reduced == core::DType::kF32) {
    return graph;
  }
  DLBENCH_CHECK(reduced == core::DType::kBF16 || reduced == core::DType::kF16)
      << core::name(reduced) << " is no reduced precision";
  return Rewriter(graph, reduced).run();
}

}  // namespace dlbench::graph
