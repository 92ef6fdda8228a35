// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over a gradient that two nodes need and one pass computes.
#pragma once

#include "engine/backend/fusion.h"
#include "engine/graph/graph.h"

#include <map>
#include <set>

namespace dlbench::backend::cuda {

/// In a residual unit, conv(x) + batch_norm(z), both summands have the same gradient, and the
/// gradients of the convolution's bias and of the batch norm's beta are both its sum per channel.
/// The batch norm's kernel then writes both if no ReLU masks its gradient, the bias has the
/// gradient's precision, and nothing reads the bias gradient before the batch norm runs.
class SharedSums {
 public:
  SharedSums(const graph::Graph& graph, const Fusion& fusion);

  /// The bias gradient that this batch_norm_backward writes; kNoValue if none.
  [[nodiscard]] graph::ValueId bias_gradient_of(graph::NodeId batch_norm_backward) const;
  /// Whether a batch norm writes this bias gradient.
  [[nodiscard]] bool contains(graph::ValueId bias_gradient) const {
    return shared_.contains(bias_gradient);
  }

 private:
  std::map<graph::NodeId, graph::ValueId> by_batch_norm_;
  std::set<graph::ValueId> shared_;
};

}  // namespace dlbench::backend::cuda
