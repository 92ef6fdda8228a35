// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph_builder.h"
#include "engine/graph/passes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::graph {

Graph synchronize_loss(const Graph& graph) {
  const auto readers = graph.readers();
  auto buckets = static_cast<std::int32_t>(
      std::ranges::count(graph.nodes(), OpKind::kAllReduceStart, &Node::op));
  GraphBuilder builder(graph);
  std::map<NodeId, std::vector<NodeId>> before;
  std::map<NodeId, NodeId> after;
  for (const Node& node : graph.nodes()) {
    if (node.op != OpKind::kDiceSums) {
      continue;
    }
    const ValueId sums = node.outputs.at(0);
    const AllReduceAttributes attributes{.bucket = buckets++};
    const NodeId start = builder.add_node({.op = OpKind::kAllReduceStart,
                                           .name = node.name + "/all_reduce_start",
                                           .attributes = attributes,
                                           .inputs = {sums},
                                           .updates = {sums},
                                           .phase = Phase::kAllReduce});
    const ValueId token = builder.graph().node(start).outputs.at(0);
    after[node.id] = start;
    before[readers.at(static_cast<std::size_t>(sums)).front()].push_back(
        builder.add_node({.op = OpKind::kAllReduceWait,
                          .name = node.name + "/all_reduce_wait",
                          .attributes = attributes,
                          .inputs = {token, sums},
                          .updates = {sums},
                          .phase = Phase::kAllReduce}));
  }
  std::vector<NodeId> order;
  for (const Node& node : graph.nodes()) {
    const std::vector<NodeId>& waits = before[node.id];
    order.insert(order.end(), waits.begin(), waits.end());
    order.push_back(node.id);
    if (const auto start = after.find(node.id); start != after.end()) {
      order.push_back(start->second);
    }
  }
  builder.reorder(order);
  return std::move(builder).finish();
}

}  // namespace dlbench::graph
