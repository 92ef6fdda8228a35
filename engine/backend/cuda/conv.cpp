// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions: run by cuDNN plans, whose operands are x, w, y in every direction.
#include "engine/backend/cuda/graph_lowering_internal.h"

#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;

std::string decision_key(const GraphLowering& lowering,
                         const Node& node,
                         const ConvProblem& problem) {
  const std::string owner =
      node.forward == graph::kNoNode ? node.name : lowering.graph().node(node.forward).name;
  return owner + "|" + std::string(name(problem.direction));
}

Contraction choose(GraphLowering& lowering, const Node& node) {
  const ConvProblem problem = conv_problem(
      lowering.graph(), node, lowering.padding(), epilogue_of(node, lowering.group_of(node)));
  const std::string key = decision_key(lowering, node, problem);
  Contraction chosen = lowering.contractions().convolution(problem, key);
  lowering.decide(key, chosen.decision);
  return chosen;
}

}  // namespace

void lower_convolution(GraphLowering& lowering, const Node& node) {
  Contraction chosen = choose(lowering, node);
  switch (node.op) {
    case OpKind::kConv:
      return emit_forward(lowering, node, std::move(chosen));
    case OpKind::kConvTranspose:     // the data gradient of a convolution
    case OpKind::kConvBackwardData:  // dy, w -> dx
      return emit_gradient(lowering, node, std::move(chosen), [](const Call& call) {
        return ContractionCall{.x = call.writes[0],
                               .w = call.reads[1],
                               .y = call.reads[0],
                               .scratch = call.scratch,
                               .stream = call.stream};
      });
    default:  // x, dy -> dw, [dbias]
      return emit_gradient(lowering, node, std::move(chosen), [](const Call& call) {
        return ContractionCall{.x = call.reads[0],
                               .w = call.writes[0],
                               .y = call.reads[1],
                               .scratch = call.scratch,
                               .stream = call.stream};
      });
  }
}

}  // namespace dlbench::backend::cuda
