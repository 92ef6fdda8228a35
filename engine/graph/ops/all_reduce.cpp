// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// An all-reduce is two nodes, so that compute can run between them. The executor hands both to the
// communicator; backends have no kernel for them.
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

std::vector<OutputSpec> infer_start(const Graph& graph, const Node& node) {
  require(!node.inputs.empty() && node.updates == node.inputs,
          graph,
          node,
          "inputs and updates must be the bucket's gradients");
  return {{core::DType::kU8, core::Shape{}, ""}};
}

std::vector<OutputSpec> infer_wait(const Graph& graph, const Node& node) {
  require(node.inputs.size() == node.updates.size() + 1,
          graph,
          node,
          "inputs must be the token and the bucket's gradients");
  return {};
}

constexpr OpDef kAllReduceOps[] = {
    {OpKind::kAllReduceStart,
     "all_reduce_start",
     PrecisionClass::kNeutral,
     infer_start,
     nullptr,
     no_cost},
    {OpKind::kAllReduceWait,
     "all_reduce_wait",
     PrecisionClass::kNeutral,
     infer_wait,
     nullptr,
     no_cost},
};

}  // namespace

std::span<const OpDef> all_reduce_ops() { return kAllReduceOps; }

}  // namespace dlbench::graph::ops
