// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Casts that run as one launch: a step in 16 bits casts a hundred small weights and as many
// gradients, and one launch for each would be many launches for little work.
#pragma once

#include "engine/backend/cuda/channel_padding.h"
#include "engine/graph/graph.h"

#include <map>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {

/// Two or more casts between the same two dtypes, in graph order.
struct CastGroup {
  std::string name;                  ///< of the launch
  std::vector<graph::NodeId> nodes;  ///< the first determines the phase
};

/// Groups casts:
///   those to 16-bit copies of parameters, run in the place of the first of them;
///   those to f32 gradients of parameters that have the same first reader (a bucket's all-reduce,
///   an optimizer), run in the place of the last of them.
/// Excludes casts between rows of different strides (channel_padding.h) and of 2^31 or more
/// elements.
class CastGroups {
 public:
  /// No groups.
  CastGroups() = default;
  CastGroups(const graph::Graph& graph, const ChannelPadding& padding);

  /// The group that runs in the node's place; nullptr if none does.
  [[nodiscard]] const CastGroup* group_at(graph::NodeId node) const;
  /// Whether the node belongs to a group, which runs in the place of this node or of another.
  [[nodiscard]] bool grouped(graph::NodeId node) const;

 private:
  void add(CastGroup group, graph::NodeId place);

  std::vector<CastGroup> groups_;
  std::map<graph::NodeId, std::size_t> by_place_;
  std::vector<bool> grouped_;
};

}  // namespace dlbench::backend::cuda
