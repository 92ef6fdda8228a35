// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/shared_sums.h"

#include <algorithm>

namespace dlbench::backend::cuda {

using graph::kNoNode;
using graph::kNoValue;
using graph::Node;
using graph::OpKind;
using graph::ValueId;

SharedSums::SharedSums(const graph::Graph& graph, const Fusion& fusion) {
  for (const Node& norm : graph.nodes()) {
    const FusedGroup* group =
        norm.op == OpKind::kBatchNormBackward ? fusion.group_of(norm.id) : nullptr;
    if (norm.op != OpKind::kBatchNormBackward || (group != nullptr && group->before != kNoNode)) {
      continue;
    }
    const ValueId dy = norm.inputs[0];
    for (const graph::NodeId id : fusion.readers(dy)) {
      const Node& conv = graph.node(id);
      if (conv.op != OpKind::kConvBackwardWeights || conv.outputs.size() < 2 ||
          conv.inputs[1] != dy) {
        continue;
      }
      const ValueId bias = conv.outputs[1];
      const bool in_time = std::ranges::all_of(fusion.readers(bias), [&](graph::NodeId reader) {
        return fusion.place(reader) > fusion.place(norm.id);
      });
      if (in_time && !contains(bias) && graph.value(bias).dtype == graph.value(dy).dtype) {
        by_batch_norm_[norm.id] = bias;
        shared_.insert(bias);
        break;
      }
    }
  }
}

ValueId SharedSums::bias_gradient_of(graph::NodeId batch_norm_backward) const {
  const auto found = by_batch_norm_.find(batch_norm_backward);
  return found == by_batch_norm_.end() ? kNoValue : found->second;
}

}  // namespace dlbench::backend::cuda
