// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which nodes run as one kernel: found on the graph before anything is lowered. Shared by the
// backends whose kernels can do these groups.
#pragma once

#include "engine/graph/graph.h"

#include <vector>

namespace dlbench::backend {

/// Nodes fused into one, in graph order. They run in the place of the last one.
struct FusedGroup {
  graph::NodeId main = graph::kNoNode;      ///< gives name, phase and lowering rule
  graph::NodeId before = graph::kNoNode;    ///< relu_backward before a batch_norm_backward
  graph::NodeId relu = graph::kNoNode;      ///< relu behind main
  graph::NodeId add = graph::kNoNode;       ///< addition behind main (and relu)
  graph::ValueId addend = graph::kNoValue;  ///< its other operand
  graph::ValueId result = graph::kNoValue;  ///< what takes the place of main's first output
  std::vector<graph::ValueId> summands;     ///< of a chain of additions: its operands, in order
  std::vector<graph::NodeId> nodes;         ///< all of them, main first
};

/// Operands of a chain of additions that runs as one kernel.
inline constexpr std::size_t kMaxSummands = 4;

/// Groups:
///   batch_norm [relu] [add], batch_norm_inference [relu] [add]
///   [relu_backward] batch_norm_backward [add]
///   conv [relu], linear [relu]
///   scale_channels [add of a global_avg_pool_backward]: `before` is the latter
///   add add [add]: what no group above takes, up to kMaxSummands operands in all
class Fusion {
 public:
  /// `keep`: values that must exist after the step.
  Fusion(const graph::Graph& graph, const std::vector<graph::ValueId>& keep);

  /// The group that a node belongs to; nullptr: it stands alone.
  [[nodiscard]] const FusedGroup* group_of(graph::NodeId node) const;
  /// Whether the node is where its group runs (true for nodes without a group).
  [[nodiscard]] bool runs_here(graph::NodeId node) const;
  /// Where in the graph's order the node runs: in its group's place, if it has one.
  [[nodiscard]] std::size_t place(graph::NodeId node) const;
  /// Nodes that read a value.
  [[nodiscard]] const std::vector<graph::NodeId>& readers(graph::ValueId value) const;
  [[nodiscard]] bool kept(graph::ValueId value) const;
  /// The upsample_nearest whose result this value is, if a concatenation alone reads it: whoever
  /// concatenates can write it where it belongs. Else nullptr.
  [[nodiscard]] const graph::Node* upsampled_into_concat(graph::ValueId value) const;

 private:
  void find_batch_norm(const graph::Node& node);
  void find_batch_norm_backward(const graph::Node& node);
  void find_contraction(const graph::Node& node);
  void find_gate(const graph::Node& node);
  void find_sum(const graph::Node& node);
  /// The only reader of the value, if it is this op and the value need not exist; else nullptr.
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
