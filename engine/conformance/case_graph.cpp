// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/case_graph.h"

#include "engine/core/fnv1a.h"
#include "engine/core/rng.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/op_def.h"
#include "engine/graph/passes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>

namespace dlbench::conformance {
namespace {

using core::DType;
using core::HostTensor;
using graph::GraphBuilder;
using graph::kNoValue;
using graph::Storage;
using graph::ValueId;

constexpr std::uint64_t kSeed = 20240229;  // arbitrary; results quote it

DType dtype_of(Element element, DType case_dtype) {
  switch (element) {
    case Element::kCase:
      return case_dtype;
    case Element::kStatistics:
      return case_dtype == DType::kF64 ? DType::kF64 : DType::kF32;
    case Element::kF32:
      return DType::kF32;
    case Element::kU8:
      return DType::kU8;
    case Element::kI32:
      return DType::kI32;
    case Element::kI64:
      return DType::kI64;
    case Element::kF64:
      return DType::kF64;
  }
  return case_dtype;
}

/// The random stream of one tensor: separate streams, so that adding an operand changes no other.
core::RandomStream stream_for(const std::string& name) { return {kSeed, core::fnv1a(name)}; }

double uniform(core::RandomStream& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.uniform());
}

double draw(Fill fill, double value, core::RandomStream& random) {
  switch (fill) {
    case Fill::kUniform:
    case Fill::kDistinct:
    case Fill::kOutlierFirst:
      return uniform(random, -1.0, 1.0);
    case Fill::kPositive:
      return uniform(random, 0.5, 1.5);
    case Fill::kOffset:
      return uniform(random, 9.0, 11.0);
    case Fill::kFar:
      return uniform(random, 1e4 - 1.0, 1e4 + 1.0);
    case Fill::kTiny:
      return uniform(random, -1.0, 1.0) / 256.0;
    case Fill::kSaturating: {
      const double size = uniform(random, 20.0, 200.0);
      return random.below(2) == 0 ? size : -size;
    }
    case Fill::kProbability:
      return uniform(random, 0.05, 0.95);
    case Fill::kAwayFromZero: {
      const double size = uniform(random, 0.1, 1.0);
      return random.below(2) == 0 ? size : -size;
    }
    case Fill::kMask:
      return random.below(2);
    case Fill::kBytes:
      return random.below(256);
    case Fill::kLabels:
      return random.below(static_cast<std::uint32_t>(value));
    case Fill::kConstant:
      return value;
  }
  return 0;
}

/// Values evenly spaced in (-1, 1), in random order (Fisher-Yates).
std::vector<double> distinct_values(std::int64_t count, core::RandomStream& random) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (2.0 * static_cast<double>(i) + 1.0) / static_cast<double>(count) - 1.0;
  }
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.below(static_cast<std::uint32_t>(i))]);
  }
  return values;
}

/// Fills the tensor by repeating its first `count` elements.
void repeat(HostTensor& tensor, std::int64_t count) {
  const std::size_t whole = tensor.bytes();
  std::size_t done = static_cast<std::size_t>(count) * core::size_of(tensor.dtype());
  while (done < whole) {
    const std::size_t next = std::min(done, whole - done);
    std::memcpy(tensor.data() + done, tensor.data(), next);
    done += next;
  }
}

/// Makes the content of tensors.
class Filler {
 public:
  explicit Filler(Contents contents) : contents_(contents) {}

  [[nodiscard]] HostTensor fill(const std::string& name,
                                DType dtype,
                                const core::Shape& shape,
                                Fill fill,
                                double value) const {
    HostTensor tensor(dtype, shape);
    core::RandomStream random = stream_for(name + shape.to_string());
    const std::int64_t drawn =
        contents_ == Contents::kDrawn ? shape.elements() : std::min(shape.elements(), kRepeated);
    if (fill == Fill::kDistinct) {
      const std::vector<double> values = distinct_values(drawn, random);
      for (std::int64_t i = 0; i < drawn; ++i) {
        tensor.set(i, values[static_cast<std::size_t>(i)]);
      }
    } else {
      for (std::int64_t i = 0; i < drawn; ++i) {
        tensor.set(i, draw(fill, value, random));
      }
    }
    repeat(tensor, drawn);
    if (fill == Fill::kOutlierFirst) {
      const std::int64_t spatial = shape.elements() / (shape[0] * shape[1]);
      for (std::int64_t channel = 0; channel < shape[1]; ++channel) {
        tensor.set(channel * spatial, 1000.0);
      }
    }
    return tensor;
  }

 private:
  static constexpr std::int64_t kRepeated = 65521;  ///< a prime: its period fits no extent

  Contents contents_;
};

/// Declares operands and keeps their contents.
class OperandMaker {
 public:
  OperandMaker(GraphBuilder& builder, DType dtype, const Filler& filler, TensorsByName& contents)
      : builder_(builder), dtype_(dtype), filler_(filler), contents_(contents) {}

  void declare(const Operand& operand) {
    const DType dtype = dtype_of(operand.element, dtype_);
    const ValueId id =
        operand.storage == Storage::kInput
            ? builder_.add_input(operand.name, dtype, operand.shape)
            : builder_.add_state(operand.storage,
                                 operand.name,
                                 dtype,
                                 operand.shape,
                                 {},
                                 operand.parameter.empty() ? kNoValue : ids_.at(operand.parameter));
    ids_[operand.name] = id;
    contents_.emplace(
        operand.name,
        filler_.fill(operand.name, dtype, operand.shape, operand.fill, operand.value));
  }

  /// Declares parameters first, since gradients and optimizer states refer to them.
  void declare_all(const OpCase& spec) {
    for (const bool parameters : {true, false}) {
      for (const auto* operands : {&spec.inputs, &spec.updates}) {
        for (const Operand& operand : *operands) {
          if ((operand.storage == Storage::kParameter) == parameters) {
            declare(operand);
          }
        }
      }
    }
  }

  [[nodiscard]] std::vector<ValueId> ids(const std::vector<Operand>& operands) const {
    std::vector<ValueId> result;
    result.reserve(operands.size());
    for (const Operand& operand : operands) {
      result.push_back(ids_.at(operand.name));
    }
    return result;
  }

 private:
  GraphBuilder& builder_;
  DType dtype_;
  const Filler& filler_;
  TensorsByName& contents_;
  std::map<std::string, ValueId> ids_;
};

/// Makes contents for the state that a chain's layers declared.
void fill_layer_state(const graph::Graph& graph, const Filler& filler, TensorsByName& contents) {
  for (const graph::Value& value : graph.values()) {
    if (value.producer != graph::kNoNode || contents.contains(value.name)) {
      continue;
    }
    Fill fill = Fill::kUniform;
    if (value.name.ends_with(".running_var") || value.name.ends_with(".weight")) {
      fill = value.shape.rank() == 1 ? Fill::kPositive : Fill::kUniform;
    }
    if (value.storage == Storage::kScalar) {
      contents.emplace(value.name,
                       filler.fill(value.name, value.dtype, value.shape, Fill::kConstant, 3.0));
    } else {
      contents.emplace(value.name, filler.fill(value.name, value.dtype, value.shape, fill, 0.0));
    }
  }
}

bool wants_gradient(const graph::Value& value) {
  return value.producer == graph::kNoNode && core::is_float(value.dtype) &&
         (value.storage == Storage::kInput || value.storage == Storage::kParameter) &&
         !value.name.starts_with("seed_");
}

/// Adds the forward nodes; returns the values that enter L.
std::vector<ValueId> add_forward(const OpCase& spec,
                                 GraphBuilder& builder,
                                 const OperandMaker& operands,
                                 const Filler& filler,
                                 CaseGraph& result) {
  const std::vector<ValueId> inputs = operands.ids(spec.inputs);
  std::vector<ValueId> differentiated;
  if (spec.build != nullptr) {
    differentiated = spec.build(builder, inputs);
    fill_layer_state(builder.graph(), filler, result.contents);
  } else {
    builder.add_node({.op = spec.op,
                      .name = std::string(graph::name(spec.op)),
                      .attributes = spec.attributes,
                      .inputs = inputs,
                      .updates = operands.ids(spec.updates)});
    const graph::Node& node = builder.graph().nodes().back();
    if (graph::op_def(spec.op).differentiate != nullptr && spec.op != graph::OpKind::kDiceSums &&
        spec.op != graph::OpKind::kDiceLoss) {
      differentiated.push_back(node.outputs.at(0));
    }
    for (const ValueId id : node.outputs) {
      result.outputs.push_back(builder.graph().value(id).name);
    }
  }
  for (const ValueId id : differentiated) {
    const std::string& name = builder.graph().value(id).name;
    result.weighted.push_back(name);
    if (std::find(result.outputs.begin(), result.outputs.end(), name) == result.outputs.end()) {
      result.outputs.push_back(name);
    }
  }
  return differentiated;
}

/// Adds the backward nodes of L with respect to every float input and parameter.
graph::Graph add_backward(GraphBuilder&& builder,
                          const std::vector<ValueId>& differentiated,
                          const Filler& filler,
                          CaseGraph& result) {
  std::vector<std::pair<ValueId, ValueId>> seeds;
  for (const ValueId id : differentiated) {
    const graph::Value value = builder.graph().value(id);
    const std::string name = "seed_" + value.name;
    seeds.emplace_back(id, builder.add_input(name, value.dtype, value.shape));
    result.contents.emplace(name,
                            filler.fill(name, value.dtype, value.shape, Fill::kAwayFromZero, 0.0));
  }
  graph::Graph forward = std::move(builder).finish();
  std::vector<ValueId> operands;
  for (const graph::Value& value : forward.values()) {
    if (wants_gradient(value)) {
      operands.push_back(value.id);
    }
  }
  if (seeds.empty()) {
    return forward;
  }
  graph::VectorJacobian backward = graph::vector_jacobian(forward, seeds, operands);
  GraphBuilder marker(std::move(backward.graph));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ValueId id = backward.gradients[i];
    if (id == kNoValue) {
      continue;
    }
    const graph::Value gradient = marker.graph().value(id);
    const std::string operand = marker.graph().value(operands[i]).name;
    if (gradient.storage == Storage::kInput) {
      result.gradients.push_back({operand, gradient.name, true});
    } else if (marker.graph().value(operands[i]).storage == Storage::kParameter) {
      // As in training: in the model state, in the layout that the optimizer uses too.
      marker.make_gradient(id, operands[i]);
      result.updated.push_back("grad/" + operand);
      result.gradients.push_back({operand, "grad/" + operand, false});
    } else {
      const std::string output = "grad_" + operand;
      marker.mark_output(output, id);
      result.outputs.push_back(output);
      result.gradients.push_back({operand, output, false});
    }
  }
  return std::move(marker).finish();
}

}  // namespace

CaseGraph make_case_graph(const OpCase& spec, DType dtype, Nodes nodes, Contents contents) {
  const Filler filler(contents);
  CaseGraph result;
  GraphBuilder builder(graph::Mode::kTrain);
  OperandMaker operands(builder, dtype, filler, result.contents);
  operands.declare_all(spec);
  const std::vector<ValueId> differentiated = add_forward(spec, builder, operands, filler, result);
  for (const graph::Node& node : builder.graph().nodes()) {
    for (const ValueId id : node.updates) {
      result.updated.push_back(builder.graph().value(id).name);
    }
  }
  for (const std::string& name : result.outputs) {
    builder.mark_output(name, *builder.graph().find(name));
  }
  result.graph = nodes == Nodes::kForward
                     ? std::move(builder).finish()
                     : add_backward(std::move(builder), differentiated, filler, result);
  return result;
}

}  // namespace dlbench::conformance
