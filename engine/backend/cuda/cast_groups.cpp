// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/cast_groups.h"

#include "engine/backend/cuda/kernels/launch.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

using core::DType;
using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::OpKind;
using graph::Storage;
using graph::Value;
using graph::ValueId;

bool is_half(DType dtype) { return dtype == DType::kBF16 || dtype == DType::kF16; }

bool fits(const Graph& graph, const Node& cast, const ChannelPadding& padding) {
  const ChannelsLast from = padding.layout(graph.value(cast.inputs[0]));
  const ChannelsLast to = padding.layout(graph.value(cast.outputs[0]));
  return from.stride == to.stride && to.elements() <= kMaxCastElements;
}

/// For each value, the first node in graph order that reads or updates it.
std::vector<NodeId> first_users(const Graph& graph) {
  std::vector<NodeId> first(graph.values().size(), graph::kNoNode);
  for (const Node& node : graph.nodes()) {
    for (const std::vector<ValueId>* used : {&node.inputs, &node.updates}) {
      for (const ValueId id : *used) {
        NodeId& user = first[static_cast<std::size_t>(id)];
        user = user == graph::kNoNode ? node.id : user;
      }
    }
  }
  return first;
}

}  // namespace

CastGroups::CastGroups(const Graph& graph, const ChannelPadding& padding)
    : grouped_(graph.nodes().size(), false) {
  const std::vector<NodeId> first = first_users(graph);
  std::map<DType, std::vector<NodeId>> parameters;
  std::map<std::pair<NodeId, DType>, std::vector<NodeId>> gradients;
  for (const Node& node : graph.nodes()) {
    if (node.op != OpKind::kCast || !fits(graph, node, padding)) {
      continue;
    }
    const Value& x = graph.value(node.inputs[0]);
    const Value& y = graph.value(node.outputs[0]);
    if (x.storage == Storage::kParameter && x.dtype == DType::kF32 && is_half(y.dtype)) {
      parameters[y.dtype].push_back(node.id);
    } else if (y.storage == Storage::kGradient && y.dtype == DType::kF32 && is_half(x.dtype)) {
      gradients[{first[static_cast<std::size_t>(y.id)], x.dtype}].push_back(node.id);
    }
  }
  for (auto& [dtype, nodes] : parameters) {
    const NodeId place = nodes.front();
    add({"parameters/" + std::string(core::name(dtype)), std::move(nodes)}, place);
  }
  for (auto& [user, nodes] : gradients) {
    const NodeId place = nodes.back();
    const std::string reader =
        user.first == graph::kNoNode ? "" : "/" + graph.node(user.first).name;
    add({"gradients/f32" + reader, std::move(nodes)}, place);
  }
}

void CastGroups::add(CastGroup group, NodeId place) {
  if (group.nodes.size() < 2) {
    return;
  }
  for (const NodeId node : group.nodes) {
    grouped_[static_cast<std::size_t>(node)] = true;
  }
  by_place_[place] = groups_.size();
  groups_.push_back(std::move(group));
}

const CastGroup* CastGroups::group_at(NodeId node) const {
  const auto found = by_place_.find(node);
  return found == by_place_.end() ? nullptr : &groups_[found->second];
}

bool CastGroups::grouped(NodeId node) const {
  return !grouped_.empty() && grouped_.at(static_cast<std::size_t>(node));
}

}  // namespace dlbench::backend::cuda
