// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/channel_ranges.h"

#include "engine/backend/cuda/layout.h"
#include "engine/core/dtype.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;

bool reads_ranges(const graph::Graph& graph, const Fusion& fusion, const Node& reader) {
  if (reader.op == OpKind::kAdd) {
    const FusedGroup* group = fusion.group_of(reader.id);
    return group == nullptr || graph.node(group->main).op == OpKind::kAdd;
  }
  return reader.op == OpKind::kUpsampleNearestBackward;
}

}  // namespace

ChannelRanges::ChannelRanges(const graph::Graph& graph,
                             const Fusion& fusion,
                             const ChannelPadding& padding)
    : ranges_(graph.values().size()) {
  for (const Node& node : graph.nodes()) {
    if (node.op != OpKind::kSlice) {
      continue;
    }
    const auto& slice = node.as<graph::SliceAttributes>();
    const graph::Value& holder = graph.value(node.inputs[0]);
    const graph::ValueId part = node.outputs[0];
    const std::vector<graph::NodeId>& readers = fusion.readers(part);
    const bool read_in_place = std::ranges::all_of(readers, [&](graph::NodeId reader) {
      return reads_ranges(graph, fusion, graph.node(reader));
    });
    if (read_in_place && !readers.empty() && !fusion.kept(part) && !of(holder.id).has_value() &&
        holder.storage == graph::Storage::kActivation && !padding.padded(holder.id) &&
        !padding.padded(part) && is_wide(holder, slice.begin, slice.extent)) {
      ranges_.at(static_cast<std::size_t>(part)) = ChannelRange{holder.id, slice.begin};
    }
  }
}

bool ChannelRanges::is_wide(const graph::Value& holder, Index begin, Index extent) {
  constexpr Index kAccess = 16;
  const auto element = static_cast<Index>(core::size_of(holder.dtype));
  const std::array<Index, 3> lanes{begin, extent, channels_last(holder.shape).stride};
  return core::is_float(holder.dtype) &&
         std::ranges::all_of(lanes, [&](Index count) { return count * element % kAccess == 0; });
}

}  // namespace dlbench::backend::cuda
