// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides which nodes run as one kernel, on the graph before it is lowered. Shared by the backends
// that have kernels for these groups.
#pragma once

#include "engine/graph/graph.h"

#include <vector>

namespace dlbench::backend {

/// Nodes fused into one kernel, which runs in the place of the last of them.
struct FusedGroup {
  graph::NodeId main = graph::kNoNode;      ///< determines name, phase and lowering rule
  graph::NodeId before = graph::kNoNode;    ///< producer of an operand of main or add, see Fusion
  graph::NodeId relu = graph::kNoNode;      ///< relu of main's result
  graph::NodeId add = graph::kNoNode;       ///< addition to the result of main (or relu)
  graph::ValueId addend = graph::kNoValue;  ///< the other operand of the addition
  graph::ValueId result = graph::kNoValue;  ///< result of the group, instead of main's first output
  std::vector<graph::ValueId> summands;     ///< of a chain of additions: its operands, in order
  std::vector<graph::NodeId> nodes;         ///< all nodes of the group, main first
};

/// Largest number of operands of a chain of additions that runs as one kernel.
inline constexpr std::size_t kMaxSummands = 4;

/// Finds groups of these forms ([...]: optional):
///   batch_norm [relu] [add], batch_norm_inference [relu] [add]
///   [relu_backward] batch_norm_backward [add]
///   conv [relu], linear [relu]
///   scale_channels [add of a global_avg_pool_backward]: `before` is the latter
///   add add [add]: additions in no group above, with up to kMaxSummands operands in all
class Fusion {
 public:
  /// `keep`: values that must exist after the step.
  Fusion(const graph::Graph& graph, const std::vector<graph::ValueId>& keep);

  /// The group to which a node belongs; nullptr if it is in none.
  [[nodiscard]] const FusedGroup* group_of(graph::NodeId node) const;
  /// Whether the group runs in this node's place (true for nodes without a group).
  [[nodiscard]] bool runs_here(graph::NodeId node) const;
  /// The position in the graph's order at which the node, or its group if any, runs.
  [[nodiscard]] std::size_t place(graph::NodeId node) const;
  /// The nodes that read a value.
  [[nodiscard]] const std::vector<graph::NodeId>& readers(graph::ValueId value) const;
  [[nodiscard]] bool kept(graph::ValueId value) const;
  /// The upsample_nearest that produces this value if only a concatenation reads it (once), so that
  /// the concatenation can upsample directly into its result; otherwise nullptr.
  [[nodiscard]] const graph::Node* upsampled_into_concat(graph::ValueId value) const;

 private:
  void find_batch_norm(const graph::Node& node);
  void find_batch_norm_backward(const graph::Node& node);
  void find_contraction(const graph::Node& node);
  void find_gate(const graph::Node& node);
  void find_sum(const graph::Node& node);
  /// The only reader of the value if it has this op, is in no group, and the value need not exist
  /// after fusion; otherwise nullptr.
  [[nodiscard]] const graph::Node* only_reader(graph::ValueId value, graph::OpKind op) const;
  void append_add(FusedGroup& group, graph::ValueId value);
  [[nodiscard]] bool may_run_at_last(const FusedGroup& group) const;
  void accept(FusedGroup group);

  const graph::Graph& graph_;
  std::vector<std::vector<graph::NodeId>> readers_;
  std::vector<bool> kept_;
  std::vector<FusedGroup> groups_;
  std::vector<int> group_of_node_;
  std::vector<std::size_t> position_;
};

}  // namespace dlbench::backend
