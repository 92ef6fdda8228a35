// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Batch normalisation with the nodes that fusion.h adds to it: own kernels in all layouts.
#include "engine/backend/cpu/kernels/batch_norm.h"

#include "engine/backend/cpu/graph_lowering_internal.h"

#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::BatchNormAttributes;
using graph::kNoNode;
using graph::kNoValue;
using graph::Node;
using graph::OpKind;
using graph::ValueId;

/// The group of a node; a group of one if it has none.
FusedGroup group_of(const GraphLowering& lowering, const Node& node) {
  const FusedGroup* group = lowering.fusion().group_of(node.id);
  return group != nullptr
             ? *group
             : FusedGroup{.main = node.id, .result = node.outputs[0], .nodes = {node.id}};
}

std::string kernel_name(const std::string& base, const FusedGroup& group) {
  std::string name = "own:" + base;
  name += group.relu != kNoNode || group.before != kNoNode ? "+relu" : "";
  name += group.add != kNoNode ? "+add" : "";
  return name;
}

/// Indices into the reads of the emission.
enum ForwardRead : std::uint8_t { kX, kGamma, kBeta, kRunningMean, kRunningVariance, kAddend };

void lower_forward(GraphLowering& lowering, const Node& node) {
  const FusedGroup group = group_of(lowering, node);
  const bool train = node.op == OpKind::kBatchNorm;
  const Layout layout = lowering.layout_of(group.result);
  const Operand x = lowering.read_rows(node.inputs[0], layout);
  Emission emission{.covers = group.nodes, .reads = {x.slot}};
  for (std::size_t index = 1; index <= 2; ++index) {
    emission.reads.push_back(lowering.read(node.inputs[index]).slot);
  }
  const ValueId running_mean = train ? node.updates.at(0) : node.inputs[3];
  const ValueId running_variance = train ? node.updates.at(1) : node.inputs[4];
  emission.reads.push_back(lowering.read(running_mean).slot);
  emission.reads.push_back(lowering.read(running_variance).slot);
  Operand addend;
  if (group.addend != kNoValue) {
    addend = lowering.read_rows(group.addend, layout);
    emission.reads.push_back(addend.slot);
  }
  const Operand y = lowering.write(group.result);
  emission.writes = {y.slot};
  share_in_place(emission, x, y);
  if (addend.slot != kNoSlot) {
    share_in_place(emission, addend, y);
  }
  if (train) {
    emission.writes.push_back(lowering.write(node.outputs[1]).slot);
    emission.writes.push_back(lowering.write(node.outputs[2]).slot);
    emission.writes.push_back(lowering.read(running_mean).slot);
    emission.writes.push_back(lowering.read(running_variance).slot);
  }
  const Geometry g = x.geometry();
  emission.scratch_bytes = static_cast<std::size_t>(batch_norm_scratch_bytes(g));
  emission.kernel_name = kernel_name("batch_norm", group);
  const auto attributes = node.as<BatchNormAttributes>();
  const bool relu = group.relu != kNoNode;
  with_element(x.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=](const Call& call) {
      BatchNormForward<T> operands{
          .x = rows_in<T>(call, kX, x),
          .gamma = call.in<float>(kGamma),
          .beta = call.in<float>(kBeta),
          .running_mean = reinterpret_cast<float*>(call.reads[kRunningMean]),
          .running_variance = reinterpret_cast<float*>(call.reads[kRunningVariance]),
          .mean = train ? call.out<float>(1) : nullptr,
          .rstd = train ? call.out<float>(2) : nullptr,
          .addend = {},
          .y = rows_out<T>(call, 0, y),
          .momentum = attributes.momentum,
          .epsilon = attributes.epsilon,
          .relu = relu};
      if (addend.slot != kNoSlot) {
        operands.addend = rows_in<T>(call, kAddend, addend);
      }
      auto* scratch = reinterpret_cast<double*>(call.scratch);
      train ? batch_norm_train<T>(g, operands, scratch)
            : batch_norm_inference<T>(g, operands, scratch);
    });
  });
}

enum BackwardRead : std::uint8_t { kDy, kInput, kWeight, kMean, kRstd, kNext };

void lower_backward(GraphLowering& lowering, const Node& node) {
  const FusedGroup group = group_of(lowering, node);
  const bool relu = group.before != kNoNode;
  const Layout layout = lowering.layout_of(group.result);
  const ValueId gradient = relu ? lowering.graph().node(group.before).inputs[0] : node.inputs[0];
  const Operand dy = lowering.read_rows(gradient, layout);
  const Operand x = lowering.read_rows(node.inputs[1], layout);
  Emission emission{.covers = group.nodes, .reads = {dy.slot, x.slot}};
  for (std::size_t index = 2; index <= 4; ++index) {
    emission.reads.push_back(lowering.read(node.inputs[index]).slot);
  }
  if (relu) {
    const Node& forward = lowering.graph().node(node.forward);
    emission.reads.push_back(lowering.read(forward.inputs[2]).slot);
  }
  Operand addend;
  if (group.addend != kNoValue) {
    addend = lowering.read_rows(group.addend, layout);
    emission.reads.push_back(addend.slot);
  }
  const Operand dx = lowering.write(group.result);
  emission.writes = {
      dx.slot, lowering.write(node.outputs[1]).slot, lowering.write(node.outputs[2]).slot};
  share_in_place(emission, dy, dx);
  share_in_place(emission, x, dx);
  if (addend.slot != kNoSlot) {
    share_in_place(emission, addend, dx);
  }
  const Geometry g = x.geometry();
  emission.scratch_bytes = static_cast<std::size_t>(batch_norm_scratch_bytes(g));
  emission.kernel_name = kernel_name("batch_norm_backward", group);
  const std::size_t addend_index = relu ? kNext + 1 : kNext;
  with_element(x.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=](const Call& call) {
      BatchNormBackward<T> operands{.dy = rows_in<T>(call, kDy, dy),
                                    .x = rows_in<T>(call, kInput, x),
                                    .gamma = call.in<float>(kWeight),
                                    .beta = relu ? call.in<float>(kNext) : nullptr,
                                    .mean = call.in<float>(kMean),
                                    .rstd = call.in<float>(kRstd),
                                    .addend = {},
                                    .dx = rows_out<T>(call, 0, dx),
                                    .dgamma = call.out<float>(1),
                                    .dbeta = call.out<float>(2),
                                    .relu = relu};
      if (addend.slot != kNoSlot) {
        operands.addend = rows_in<T>(call, addend_index, addend);
      }
      batch_norm_backward<T>(g, operands, reinterpret_cast<double*>(call.scratch));
    });
  });
}

}  // namespace

void lower_batch_norm(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kBatchNormBackward) {
    lower_backward(lowering, node);
  } else {
    lower_forward(lowering, node);
  }
}

}  // namespace dlbench::backend::cpu
