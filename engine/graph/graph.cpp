// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph.h"

#include "engine/core/check.h"
#include "engine/core/fnv1a.h"

#include <bit>
#include <string_view>
#include <variant>

namespace dlbench::graph {
namespace {

class Hasher {
 public:
  void add(std::uint64_t word) { hash_.add(word); }
  void add(std::string_view text) {
    hash_.add(text);
    add(text.size());
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add_int(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add(const Spatial& spatial) {
    for (const auto extent : spatial) {
      add_int(extent);
    }
  }
  void add(const core::Shape& shape) {
    add(shape.rank());
    for (const auto extent : shape.extents()) {
      add_int(extent);
    }
  }
  void add(const std::vector<std::int32_t>& ids) {
    add(ids.size());
    for (const auto id : ids) {
      add_int(id);
    }
  }
  void add(const std::vector<float>& numbers) {
    add(numbers.size());
    for (const auto number : numbers) {
      add(static_cast<double>(number));
    }
  }
  [[nodiscard]] std::uint64_t value() const { return hash_.value(); }

 private:
  core::Fnv1a hash_;
};

struct AttributeHash {
  Hasher& hasher;

  void operator()(const std::monostate& /*none*/) const {}
  void operator()(const ConvAttributes& a) const {
    hasher.add(a.stride);
    hasher.add(a.dilation);
    hasher.add(a.pad_begin);
    hasher.add(a.pad_end);
    hasher.add_int(a.groups);
  }
  void operator()(const ConvTransposeAttributes& a) const {
    (*this)(a.conv);
    hasher.add(a.output_padding);
  }
  void operator()(const BatchNormAttributes& a) const {
    hasher.add(static_cast<double>(a.momentum));
    hasher.add(static_cast<double>(a.epsilon));
  }
  void operator()(const PoolAttributes& a) const {
    hasher.add(a.kernel);
    hasher.add(a.stride);
  }
  void operator()(const UpsampleAttributes& a) const { hasher.add(a.factor); }
  void operator()(const SliceAttributes& a) const {
    hasher.add_int(a.begin);
    hasher.add_int(a.extent);
  }
  void operator()(const ReshapeAttributes& a) const { hasher.add(a.shape); }
  void operator()(const CastAttributes& a) const { hasher.add_int(static_cast<int>(a.dtype)); }
  void operator()(const NormalizeAttributes& a) const {
    hasher.add(static_cast<double>(a.scale));
    hasher.add(a.mean);
    hasher.add(a.stddev);
  }
  void operator()(const DropoutAttributes& a) const {
    hasher.add(static_cast<double>(a.rate));
    hasher.add_int(a.key);
  }
  void operator()(const DiceAttributes& a) const { hasher.add(static_cast<double>(a.smooth)); }
  void operator()(const ThresholdAttributes& a) const {
    hasher.add(static_cast<double>(a.threshold));
  }
  void operator()(const OptimizerAttributes& a) const {
    for (const double number : {a.beta1, a.beta2, a.epsilon, a.rho, a.momentum, a.weight_decay}) {
      hasher.add(number);
    }
  }
  void operator()(const LossScaleAttributes& a) const {
    hasher.add(a.growth);
    hasher.add(a.backoff);
    hasher.add_int(a.interval);
  }
  void operator()(const AllReduceAttributes& a) const { hasher.add_int(a.bucket); }
};

}  // namespace

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::kForward:
      return "forward";
    case Phase::kLoss:
      return "loss";
    case Phase::kBackward:
      return "backward";
    case Phase::kAllReduce:
      return "all_reduce_wait";
    case Phase::kOptimizer:
      return "optimizer";
  }
  return "?";
}

std::string_view name(Storage storage) {
  switch (storage) {
    case Storage::kActivation:
      return "activation";
    case Storage::kInput:
      return "input";
    case Storage::kParameter:
      return "parameter";
    case Storage::kGradient:
      return "gradient";
    case Storage::kOptimizerState:
      return "optimizer_state";
    case Storage::kBuffer:
      return "buffer";
    case Storage::kScalar:
      return "scalar";
  }
  return "?";
}

std::string_view name(Mode mode) { return mode == Mode::kTrain ? "train" : "evaluate"; }

const Node& Graph::node(NodeId id) const { return nodes_.at(static_cast<std::size_t>(id)); }

const Value& Graph::value(ValueId id) const { return values_.at(static_cast<std::size_t>(id)); }

std::vector<ValueId> Graph::with_storage(Storage storage) const {
  std::vector<ValueId> found;
  for (const Value& value : values_) {
    if (value.storage == storage) {
      found.push_back(value.id);
    }
  }
  return found;
}

std::optional<ValueId> Graph::find(std::string_view name) const {
  const auto entry = by_name_.find(name);
  return entry == by_name_.end() ? std::nullopt : std::optional(entry->second);
}

ValueId Graph::gradient_of(ValueId parameter) const {
  return find("grad/" + value(parameter).name).value_or(kNoValue);
}

std::vector<std::vector<NodeId>> Graph::readers() const {
  std::vector<std::vector<NodeId>> readers(values_.size());
  for (const Node& node : nodes_) {
    for (const auto* operands : {&node.inputs, &node.updates}) {
      for (const ValueId id : *operands) {
        auto& list = readers.at(static_cast<std::size_t>(id));
        if (list.empty() || list.back() != node.id) {
          list.push_back(node.id);
        }
      }
    }
  }
  return readers;
}

std::uint64_t Graph::hash() const {
  Hasher hasher;
  hasher.add_int(static_cast<int>(mode_));
  for (const Value& value : values_) {
    hasher.add(value.name);
    hasher.add_int(static_cast<int>(value.dtype));
    hasher.add_int(static_cast<int>(value.storage));
    hasher.add(value.shape);
  }
  for (const Node& node : nodes_) {
    hasher.add_int(static_cast<int>(node.op));
    std::visit(AttributeHash{hasher}, node.attributes);
    hasher.add(node.inputs);
    hasher.add(node.outputs);
    hasher.add(node.updates);
  }
  return hasher.value();
}

}  // namespace dlbench::graph
