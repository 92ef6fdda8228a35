// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/emission.h"

#include "engine/graph/op_def.h"

#include <algorithm>
#include <cstdint>
#include <set>

namespace dlbench::backend {
namespace {

/// The size of distinct slots in bytes, for values without padding by a layout. Slots that are
/// parts of others in the list are not counted.
std::int64_t bytes_of(const graph::Graph& graph,
                      const std::vector<Slot>& slots,
                      const std::vector<SlotId>& ids) {
  const std::set<SlotId> distinct(ids.begin(), ids.end());
  std::size_t sum = 0;
  for (const SlotId id : distinct) {
    const Slot& slot = slots.at(static_cast<std::size_t>(id));
    if (!distinct.contains(slot.alias_of)) {
      sum += slot.value == graph::kNoValue ? slot.bytes : graph.value(slot.value).dense_bytes();
    }
  }
  return static_cast<std::int64_t>(sum);
}

bool hands_a_value_on(const graph::Graph& graph, const std::vector<graph::NodeId>& covers) {
  std::set<graph::ValueId> made;
  for (const graph::NodeId id : covers) {
    made.insert(graph.node(id).outputs.begin(), graph.node(id).outputs.end());
  }
  return std::ranges::any_of(covers, [&](graph::NodeId id) {
    return std::ranges::any_of(graph.node(id).inputs,
                               [&](graph::ValueId value) { return made.contains(value); });
  });
}

/// Whether the kernel works on copies in another layout or (below fp32) of another type, so that it
/// moves other bytes than the op. False for a slice, which reads only a part of its copy.
bool works_on_copies(const graph::Graph& graph,
                     const std::vector<Slot>& slots,
                     const Emission& emission) {
  const auto is_slice = [&graph](graph::NodeId id) {
    return graph.node(id).op == graph::OpKind::kSlice;
  };
  const auto is_copy = [&slots](SlotId id) {
    return slots.at(static_cast<std::size_t>(id)).value == graph::kNoValue;
  };
  return std::ranges::none_of(emission.covers, is_slice) &&
         (std::ranges::any_of(emission.reads, is_copy) ||
          std::ranges::any_of(emission.writes, is_copy));
}

}  // namespace

NodeStream stream_of(graph::OpKind op) {
  const bool communicates =
      op == graph::OpKind::kAllReduceStart || op == graph::OpKind::kAllReduceWait;
  return communicates ? NodeStream::kCommunication : NodeStream::kCompute;
}

LoweredNode make_lowered_node(const graph::Graph& graph,
                              const std::vector<Slot>& slots,
                              Emission emission,
                              graph::Phase phase) {
  LoweredNode node;
  node.phase = phase;
  node.is_reorder = emission.covers.empty();
  if (node.is_reorder) {
    node.op = graph::OpKind::kCast;
  } else {
    const graph::Node& main = graph.node(emission.covers.front());
    node.op = main.op;
    node.name = main.name;
  }
  node.stream = stream_of(node.op);
  if (!emission.name.empty()) {
    node.name = std::move(emission.name);
  }
  for (const graph::NodeId covered : emission.covers) {
    const graph::Node& logical = graph.node(covered);
    const graph::Cost cost = graph::op_def(logical.op).cost(graph, logical);
    node.cost.macs += cost.macs;
    node.cost.flop += cost.flop;
    node.cost.bytes += cost.bytes;
  }
  if (node.is_reorder || hands_a_value_on(graph, emission.covers) ||
      works_on_copies(graph, slots, emission)) {
    node.cost.bytes =
        bytes_of(graph, slots, emission.reads) + bytes_of(graph, slots, emission.writes);
  }
  for (const graph::NodeId absorbed : emission.absorbed) {
    const graph::Node& logical = graph.node(absorbed);
    const graph::Cost cost = graph::op_def(logical.op).cost(graph, logical);
    node.cost.macs += cost.macs;
    node.cost.flop += cost.flop;
  }
  node.covers = std::move(emission.covers);
  node.covers.insert(node.covers.end(), emission.absorbed.begin(), emission.absorbed.end());
  node.reads = std::move(emission.reads);
  node.writes = std::move(emission.writes);
  node.in_place = std::move(emission.in_place);
  node.scratch_bytes = emission.scratch_bytes;
  node.kernel_name = std::move(emission.kernel_name);
  node.repeatable = emission.repeatable;
  return node;
}

}  // namespace dlbench::backend
