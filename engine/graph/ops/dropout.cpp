// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Inverted dropout (Srivastava et al. 2014, JMLR 15): y = x / (1 - rate) where kept, otherwise 0.
// The random bits of element e of sample s are core::sample_random_block(seed, step, key,
// first_sample + s, e / 4)[e % 4]; it is kept if the uniform number made of them is >= rate. No
// mask is saved: the backward pass draws it again.
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

std::vector<OutputSpec> infer_dropout(const Graph& graph, const Node& node) {
  require(node.inputs.size() == 4, graph, node, "inputs must be x, seed, step, first_sample");
  const float rate = node.as<DropoutAttributes>().rate;
  require(rate >= 0.0F && rate < 1.0F, graph, node, "the rate must lie in [0, 1)");
  for (std::size_t index = 1; index < 4; ++index) {
    require(input(graph, node, index).dtype == core::DType::kI64,
            graph,
            node,
            "seed, step and first_sample must be i64 scalars");
  }
  return like_input(graph, node, 0);
}

void differentiate_dropout(GradientContext& context) {
  context.set(0,
              context.add_backward_value(
                  OpKind::kDropoutBackward,
                  {context.output_gradient(), context.input(1), context.input(2), context.input(3)},
                  context.node().attributes));
}

constexpr OpDef kDropoutOps[] = {
    {OpKind::kDropout,
     "dropout",
     PrecisionClass::kFollow,
     infer_dropout,
     differentiate_dropout,
     pointwise_cost<1>},
    {OpKind::kDropoutBackward,
     "dropout_backward",
     PrecisionClass::kFollow,
     infer_dropout,
     nullptr,
     pointwise_cost<1>},
};

}  // namespace

std::span<const OpDef> dropout_ops() { return kDropoutOps; }

}  // namespace dlbench::graph::ops
