// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Batch normalisation with the nodes fused into it: ReLU and an addition after the forward pass,
// the mask of that ReLU before and an addition after the backward pass.
#include "engine/backend/cuda/graph_lowering_internal.h"

#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::kNoNode;
using graph::Node;
using graph::OpKind;
using graph::ValueId;

/// y or dx: the result of the group if there is one, otherwise of the node.
ValueId result_of(const Node& node, const FusedGroup* group) {
  return group == nullptr ? node.outputs[0] : group->result;
}

void take_group(GraphLowering& lowering, Emission& emission, const FusedGroup* group) {
  if (group == nullptr) {
    return;
  }
  emission.covers = group->nodes;
  emission.writes[0] = GraphLowering::slot(group->result);
  if (group->add != kNoNode) {
    emission.reads.push_back(lowering.read(group->addend));
  }
}

void lower_forward(GraphLowering& lowering, const Node& node) {
  const bool trains = node.op == OpKind::kBatchNorm;
  const FusedGroup* group = lowering.group_of(node);
  const ValueId y = result_of(node, group);
  Emission emission = lowering.whole(node);
  take_group(lowering, emission, group);
  const bool adds = group != nullptr && group->add != kNoNode;
  BatchNormArgs args{.dtype = lowering.value(y).dtype,
                     .layout = lowering.layout(y),
                     .attributes = node.as<graph::BatchNormAttributes>(),
                     .relu = group != nullptr && group->relu != kNoNode};
  emission.in_place = {{emission.reads[0], emission.writes[0]}};
  if (trains) {
    emission.scratch_bytes = batch_norm_scratch_bytes(args.layout, args.dtype);
    if (adds) {
      emission.in_place.emplace_back(emission.reads.back(), emission.writes[0]);
    }
  }
  // Reads: x, gamma, beta, running mean and variance, [addend]. Writes: y and, in training, mean,
  // rstd, and running mean and variance in place.
  lowering.emit(std::move(emission), [args, adds, trains](const Call& call) mutable {
    args.x = call.in(0);
    args.gamma = call.in<float>(1);
    args.beta = call.in<float>(2);
    args.running_mean = reinterpret_cast<float*>(call.reads[3]);
    args.running_variance = reinterpret_cast<float*>(call.reads[4]);
    args.addend = adds ? call.in(5) : nullptr;
    args.y = call.out(0);
    if (trains) {
      args.mean = call.out<float>(1);
      args.rstd = call.out<float>(2);
      args.scratch = call.scratch;
      launch_batch_norm(args, call.stream);
    } else {
      launch_batch_norm_inference(args, call.stream);
    }
  });
}

void lower_backward(GraphLowering& lowering, const Node& node) {
  const FusedGroup* group = lowering.group_of(node);
  const ValueId dx = result_of(node, group);
  Emission emission = lowering.whole(node);  // dy, x, gamma, mean, rstd -> dx, dgamma, dbeta
  const bool masks = group != nullptr && group->before != kNoNode;
  const bool adds = group != nullptr && group->add != kNoNode;
  if (masks) {
    emission.reads[0] = lowering.read(lowering.graph().node(group->before).inputs[0]);
    emission.reads.push_back(lowering.read(lowering.graph().node(node.forward).inputs[2]));
  }
  take_group(lowering, emission, group);
  const ValueId bias = lowering.shared_sums().bias_gradient_of(node.id);
  const bool sums_bias = bias != graph::kNoValue;
  if (sums_bias) {
    emission.writes.push_back(GraphLowering::slot(bias));
  }
  BatchNormBackwardArgs args{
      .dtype = lowering.value(dx).dtype, .layout = lowering.layout(dx), .relu = masks};
  emission.scratch_bytes = batch_norm_scratch_bytes(args.layout, args.dtype);
  emission.in_place = {{emission.reads[0], emission.writes[0]},
                       {emission.reads[1], emission.writes[0]}};
  const std::size_t addend = masks ? 6 : 5;
  lowering.emit(std::move(emission), [=](const Call& call) mutable {
    args.dy = call.in(0);
    args.x = call.in(1);
    args.gamma = call.in<float>(2);
    args.mean = call.in<float>(3);
    args.rstd = call.in<float>(4);
    args.beta = masks ? call.in<float>(5) : nullptr;
    args.addend = adds ? call.in(addend) : nullptr;
    args.dx = call.out(0);
    args.dgamma = call.out<float>(1);
    args.dbeta = call.out<float>(2);
    args.dbias = sums_bias ? call.out(3) : nullptr;
    args.scratch = call.scratch;
    launch_batch_norm_backward(args, call.stream);
  });
}

}  // namespace

void lower_batch_norm(GraphLowering& lowering, const Node& node) {
  return node.op == OpKind::kBatchNormBackward ? lower_backward(lowering, node)
                                               : lower_forward(lowering, node);
}

}  // namespace dlbench::backend::cuda
