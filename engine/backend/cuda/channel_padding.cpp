// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/channel_padding.h"

#include "engine/backend/cuda/layout.h"
#include "engine/core/dtype.h"

#include <algorithm>

namespace dlbench::backend::cuda {
namespace {

using core::DType;
using graph::Node;
using graph::OpKind;
using graph::Value;
using graph::ValueId;

/// The values that are padded together with x.
class Family {
 public:
  Family(const graph::Graph& graph, const Fusion& fusion, ValueId x)
      : graph_(graph), fusion_(fusion), x_(x), members_{x} {}

  /// Empty unless all members may have padding lanes.
  [[nodiscard]] std::vector<ValueId> find() {
    const Value& x = graph_.value(x_);
    if (x.shape[1] % kChannelMultiple == 0 || !is_reduced_copy(x)) {
      return {};
    }
    const std::vector<graph::NodeId>& readers = fusion_.readers(x_);
    const bool fits = std::all_of(
        readers.begin(), readers.end(), [&](graph::NodeId id) { return add(graph_.node(id)); });
    return fits ? members_ : std::vector<ValueId>{};
  }

 private:
  /// Whether this is a 16-bit value, internal to the step, made by a cast from f32.
  [[nodiscard]] bool is_reduced_copy(const Value& value) const {
    if (fusion_.kept(value.id) || core::size_of(value.dtype) != 2 || !lies_channels_last(value)) {
      return false;
    }
    const Node& producer = graph_.node(value.producer);
    return producer.op == OpKind::kCast && graph_.value(producer.inputs[0]).dtype == DType::kF32;
  }

  /// Whether this is a convolution of one group over x, forward or weight gradient.
  [[nodiscard]] bool convolves(const Node& node) const {
    return (node.op == OpKind::kConv || node.op == OpKind::kConvBackwardWeights) &&
           node.inputs[0] == x_ && node.inputs[1] != x_ &&
           node.as<graph::ConvAttributes>().groups == 1;
  }

  [[nodiscard]] static ValueId weight_of(const Node& node) {
    return node.inputs[node.op == OpKind::kConv ? 1 : 2];
  }

  /// Adds the weights of a reader of x, and their gradient; returns false if they must stay dense.
  bool add(const Node& reader) {
    if (!convolves(reader)) {
      return false;
    }
    const ValueId weight = weight_of(reader);
    const std::vector<graph::NodeId>& readers = fusion_.readers(weight);
    if (!is_reduced_copy(graph_.value(weight)) ||
        !std::all_of(readers.begin(), readers.end(), [&](graph::NodeId id) {
          return convolves(graph_.node(id)) && weight_of(graph_.node(id)) == weight;
        })) {
      return false;
    }
    members_.push_back(weight);
    return reader.op == OpKind::kConv || add_gradient(reader.outputs[0]);
  }

  bool add_gradient(ValueId gradient) {
    const std::vector<graph::NodeId>& readers = fusion_.readers(gradient);
    members_.push_back(gradient);
    return !fusion_.kept(gradient) &&
           std::all_of(readers.begin(), readers.end(), [&](graph::NodeId id) {
             const Node& node = graph_.node(id);
             return node.op == OpKind::kCast && graph_.value(node.outputs[0]).dtype == DType::kF32;
           });
  }

  const graph::Graph& graph_;
  const Fusion& fusion_;
  ValueId x_;
  std::vector<ValueId> members_;
};

/// Whether a convolution reads the value as x.
bool is_convolved(const graph::Graph& graph, const Fusion& fusion, ValueId id) {
  const std::vector<graph::NodeId>& readers = fusion.readers(id);
  return std::any_of(readers.begin(), readers.end(), [&](graph::NodeId reader) {
    const Node& node = graph.node(reader);
    return node.op == OpKind::kConv && node.inputs[0] == id;
  });
}

}  // namespace

ChannelPadding::ChannelPadding(const graph::Graph& graph, const Fusion& fusion)
    : padded_(graph.values().size(), false) {
  for (const Value& value : graph.values()) {
    if (is_convolved(graph, fusion, value.id)) {
      for (const ValueId member : Family(graph, fusion, value.id).find()) {
        padded_.at(static_cast<std::size_t>(member)) = true;
      }
    }
  }
}

bool ChannelPadding::padded(ValueId value) const {
  const auto index = static_cast<std::size_t>(value);
  return index < padded_.size() && padded_[index];
}

ChannelsLast ChannelPadding::layout(const Value& value) const {
  return channels_last(value.shape, padded(value.id) ? kChannelMultiple : 1);
}

}  // namespace dlbench::backend::cuda
