// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/check.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/passes.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dlbench::graph {
namespace {

/// The gradients to reduce, in the order in which their parameters were registered.
std::vector<ValueId> gradients_to_reduce(const Graph& graph) {
  std::vector<ValueId> gradients;
  const auto readers = graph.readers();
  for (const ValueId parameter : graph.with_storage(Storage::kParameter)) {
    if (const ValueId gradient = graph.gradient_of(parameter); gradient != kNoValue) {
      // It is reduced in place while the backward pass continues: nothing else may read it.
      DLBENCH_CHECK(readers.at(static_cast<std::size_t>(gradient)).empty())
          << graph.value(gradient).name << " is also an operand of the backward pass";
      gradients.push_back(gradient);
    }
  }
  return gradients;
}

struct AllReduceNodes {
  NodeId start = 0;
  NodeId wait = 0;
};

AllReduceNodes add_all_reduce(GraphBuilder& builder,
                              std::size_t bucket,
                              const std::vector<ValueId>& members) {
  const AllReduceAttributes attributes{.bucket = static_cast<std::int32_t>(bucket)};
  const std::string suffix = "/" + std::to_string(bucket);
  const NodeId start = builder.add_node({.op = OpKind::kAllReduceStart,
                                         .name = "all_reduce_start" + suffix,
                                         .attributes = attributes,
                                         .inputs = members,
                                         .updates = members,
                                         .phase = Phase::kAllReduce});
  std::vector<ValueId> wait_inputs{builder.graph().node(start).outputs.at(0)};
  wait_inputs.insert(wait_inputs.end(), members.begin(), members.end());
  const NodeId wait = builder.add_node({.op = OpKind::kAllReduceWait,
                                        .name = "all_reduce_wait" + suffix,
                                        .attributes = attributes,
                                        .inputs = std::move(wait_inputs),
                                        .updates = members,
                                        .phase = Phase::kAllReduce});
  return {.start = start, .wait = wait};
}

}  // namespace

std::vector<std::vector<std::size_t>> assign_buckets(const std::vector<std::int64_t>& bytes,
                                                     const BucketOptions& options) {
  std::vector<std::vector<std::size_t>> buckets;
  std::vector<std::size_t> open;
  std::int64_t open_bytes = 0;
  for (std::size_t index = bytes.size(); index-- > 0;) {
    open.push_back(index);
    open_bytes += bytes[index];
    const std::int64_t cap = buckets.empty() ? options.first_cap_bytes : options.cap_bytes;
    if (open_bytes >= cap) {
      buckets.push_back(std::exchange(open, {}));
      open_bytes = 0;
    }
  }
  if (!open.empty()) {
    buckets.push_back(std::move(open));
  }
  return buckets;
}

Graph insert_all_reduce(const Graph& graph, const BucketOptions& options) {
  const std::vector<ValueId> gradients = gradients_to_reduce(graph);
  std::vector<std::int64_t> bytes;
  for (const ValueId gradient : gradients) {
    const Value& value = graph.value(gradient);
    bytes.push_back(value.shape.elements() * static_cast<std::int64_t>(core::size_of(value.dtype)));
  }

  GraphBuilder builder(graph);
  std::vector<NodeId> waits;
  std::vector<std::vector<NodeId>> starts_after(graph.nodes().size());
  const auto buckets = assign_buckets(bytes, options);
  for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    std::vector<ValueId> members;
    NodeId last = 0;
    for (const std::size_t index : buckets[bucket]) {
      members.push_back(gradients[index]);
      last = std::max(last, graph.value(gradients[index]).producer);
    }
    if (!options.overlap) {
      last = graph.nodes().back().id;
    }
    std::reverse(members.begin(), members.end());  // ascending addresses: arena order
    const AllReduceNodes nodes = add_all_reduce(builder, bucket, members);
    starts_after.at(static_cast<std::size_t>(last)).push_back(nodes.start);
    waits.push_back(nodes.wait);
  }

  std::vector<NodeId> order;
  for (const Node& node : graph.nodes()) {
    order.push_back(node.id);
    const auto& starts = starts_after.at(static_cast<std::size_t>(node.id));
    order.insert(order.end(), starts.begin(), starts.end());
  }
  order.insert(order.end(), waits.begin(), waits.end());
  builder.reorder(order);
  return std::move(builder).finish();
}

}  // namespace dlbench::graph
