// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/fusion.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend {

using graph::kNoNode;
using graph::kNoValue;
using graph::Node;
using graph::NodeId;
using graph::OpKind;
using graph::ValueId;

Fusion::Fusion(const graph::Graph& graph, const std::vector<ValueId>& keep)
    : graph_(graph),
      readers_(graph.readers()),
      kept_(graph.values().size(), false),
      group_of_node_(graph.nodes().size(), -1),
      position_(graph.nodes().size(), 0) {
  for (const auto& [name, id] : graph.outputs()) {
    kept_.at(static_cast<std::size_t>(id)) = true;
  }
  for (const ValueId id : keep) {
    kept_.at(static_cast<std::size_t>(id)) = true;
  }
  for (const graph::Value& value : graph.values()) {
    if (value.storage != graph::Storage::kActivation) {
      kept_.at(static_cast<std::size_t>(value.id)) = true;
    }
  }
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    position_.at(static_cast<std::size_t>(graph.nodes()[i].id)) = i;
  }
  for (const Node& node : graph.nodes()) {
    switch (node.op) {
      case OpKind::kBatchNorm:
      case OpKind::kBatchNormInference:
        find_batch_norm(node);
        break;
      case OpKind::kBatchNormBackward:
        find_batch_norm_backward(node);
        break;
      case OpKind::kConv:
      case OpKind::kLinear:
        find_contraction(node);
        break;
      case OpKind::kScaleChannels:
        find_gate(node);
        break;
      default:
        break;
    }
  }
  // Last, because an addition is cheapest as part of another kernel.
  for (const Node& node : graph.nodes()) {
    if (node.op == OpKind::kAdd && group_of(node.id) == nullptr) {
      find_sum(node);
    }
  }
}

const FusedGroup* Fusion::group_of(NodeId node) const {
  const int group = group_of_node_.at(static_cast<std::size_t>(node));
  return group < 0 ? nullptr : &groups_.at(static_cast<std::size_t>(group));
}

bool Fusion::runs_here(NodeId node) const {
  return place(node) == position_.at(static_cast<std::size_t>(node));
}

std::size_t Fusion::place(NodeId node) const {
  std::size_t last = position_.at(static_cast<std::size_t>(node));
  if (const FusedGroup* group = group_of(node); group != nullptr) {
    for (const NodeId member : group->nodes) {
      last = std::max(last, position_[static_cast<std::size_t>(member)]);
    }
  }
  return last;
}

const std::vector<NodeId>& Fusion::readers(ValueId value) const {
  return readers_.at(static_cast<std::size_t>(value));
}

bool Fusion::kept(ValueId value) const { return kept_.at(static_cast<std::size_t>(value)); }

const Node* Fusion::upsampled_into_concat(ValueId value) const {
  const NodeId producer = graph_.value(value).producer;
  const Node* concat = only_reader(value, OpKind::kConcat);
  const bool joins = producer != kNoNode && concat != nullptr &&
                     graph_.node(producer).op == OpKind::kUpsampleNearest &&
                     std::ranges::count(concat->inputs, value) == 1;
  return joins ? &graph_.node(producer) : nullptr;
}

const Node* Fusion::only_reader(ValueId value, OpKind op) const {
  const auto& nodes = readers(value);
  if (nodes.size() != 1 || kept(value)) {
    return nullptr;
  }
  const Node& reader = graph_.node(nodes.front());
  const bool free = group_of_node_.at(static_cast<std::size_t>(reader.id)) < 0;
  return free && reader.op == op ? &reader : nullptr;
}

void Fusion::append_add(FusedGroup& group, ValueId value) {
  const Node* add = only_reader(value, OpKind::kAdd);
  if (add == nullptr || add->inputs[0] == add->inputs[1]) {
    return;
  }
  FusedGroup longer = group;
  longer.add = add->id;
  longer.addend = add->inputs[add->inputs[0] == value ? 1 : 0];
  longer.result = add->outputs[0];
  longer.nodes.push_back(add->id);
  if (may_run_at_last(longer)) {
    group = std::move(longer);
  }
}

// The group runs in the place of its last node: no other node may read a result before that.
bool Fusion::may_run_at_last(const FusedGroup& group) const {
  std::size_t last = 0;
  for (const NodeId node : group.nodes) {
    last = std::max(last, position_[static_cast<std::size_t>(node)]);
  }
  for (const NodeId node : group.nodes) {
    const Node& member = graph_.node(node);
    std::vector<ValueId> results = member.outputs;
    results.insert(results.end(), member.updates.begin(), member.updates.end());
    for (const ValueId value : results) {
      for (const NodeId reader : readers(value)) {
        const bool inside =
            std::find(group.nodes.begin(), group.nodes.end(), reader) != group.nodes.end();
        if (!inside && position_[static_cast<std::size_t>(reader)] < last &&
            position_[static_cast<std::size_t>(reader)] >
                position_[static_cast<std::size_t>(node)]) {
          return false;
        }
      }
    }
  }
  return true;
}

void Fusion::accept(FusedGroup group) {
  if (group.nodes.size() < 2) {
    return;
  }
  for (const NodeId node : group.nodes) {
    group_of_node_.at(static_cast<std::size_t>(node)) = static_cast<int>(groups_.size());
  }
  groups_.push_back(std::move(group));
}

void Fusion::find_batch_norm(const Node& node) {
  FusedGroup group{.main = node.id, .result = node.outputs[0], .nodes = {node.id}};
  if (const Node* relu = only_reader(group.result, OpKind::kRelu); relu != nullptr) {
    group.relu = relu->id;
    group.result = relu->outputs[0];
    group.nodes.push_back(relu->id);
  }
  append_add(group, group.result);
  accept(std::move(group));
}

void Fusion::find_batch_norm_backward(const Node& node) {
  FusedGroup group{.main = node.id, .result = node.outputs[0], .nodes = {node.id}};
  const NodeId producer = graph_.value(node.inputs[0]).producer;
  if (producer != kNoNode && node.forward != kNoNode) {
    const Node& mask = graph_.node(producer);
    const bool masks = mask.op == OpKind::kReluBackward &&
                       only_reader(node.inputs[0], OpKind::kBatchNormBackward) == &node &&
                       group_of_node_.at(static_cast<std::size_t>(producer)) < 0;
    if (masks) {
      // The mask must be the sign of this batch norm's own result.
      const NodeId relu = graph_.value(mask.inputs[1]).producer;
      const Node& forward = graph_.node(node.forward);
      if (relu != kNoNode && graph_.node(relu).op == OpKind::kRelu &&
          graph_.node(relu).inputs[0] == forward.outputs[0]) {
        group.before = producer;
        group.nodes.push_back(producer);
      }
    }
  }
  append_add(group, group.result);
  accept(std::move(group));
}

void Fusion::find_contraction(const Node& node) {
  FusedGroup group{.main = node.id, .result = node.outputs[0], .nodes = {node.id}};
  if (const Node* relu = only_reader(group.result, OpKind::kRelu); relu != nullptr) {
    group.relu = relu->id;
    group.result = relu->outputs[0];
    group.nodes.push_back(relu->id);
    accept(std::move(group));
  }
}

void Fusion::find_gate(const Node& node) {
  FusedGroup group{.main = node.id, .result = node.outputs[0], .nodes = {node.id}};
  const Node* add = only_reader(group.result, OpKind::kAdd);
  if (add == nullptr) {
    return;
  }
  const ValueId other = add->inputs[add->inputs[0] == group.result ? 1 : 0];
  const NodeId producer = graph_.value(other).producer;
  if (producer == kNoNode || graph_.node(producer).op != OpKind::kGlobalAvgPoolBackward ||
      only_reader(other, OpKind::kAdd) != add) {
    return;
  }
  group.before = producer;
  group.add = add->id;
  group.result = add->outputs[0];
  group.nodes.push_back(producer);
  group.nodes.push_back(add->id);
  if (may_run_at_last(group)) {
    accept(std::move(group));
  }
}

// Sums of gradients: each partial sum is read only by the next addition.
void Fusion::find_sum(const Node& node) {
  FusedGroup group{.main = node.id,
                   .result = node.outputs[0],
                   .summands = {node.inputs[0], node.inputs[1]},
                   .nodes = {node.id}};
  while (group.summands.size() < kMaxSummands) {
    const Node* next = only_reader(group.result, OpKind::kAdd);
    if (next == nullptr || next->inputs[0] == next->inputs[1]) {
      break;
    }
    FusedGroup longer = group;
    longer.summands.push_back(next->inputs[next->inputs[0] == group.result ? 1 : 0]);
    longer.result = next->outputs[0];
    longer.nodes.push_back(next->id);
    if (!may_run_at_last(longer)) {
      break;
    }
    group = std::move(longer);
  }
  accept(std::move(group));
}

}  // namespace dlbench::backend
