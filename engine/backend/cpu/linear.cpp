// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Fully connected layers. Small ones run in own loops; for others the tuner chooses between plain
// weights (no reorder in the step) and the library's own layout.
#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/cpu/kernels/dense.h"

#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::kNoValue;
using graph::Node;
using graph::OpKind;
using graph::ValueId;
using Direction = ContractionDirection;

/// Below this a library call costs more than the work.
constexpr std::int64_t kSmallMacs = 200'000;

struct Linear {
  Direction direction = Direction::kForward;
  ValueId x = kNoValue;  ///< dx in backward data
  ValueId weight = kNoValue;
  ValueId bias = kNoValue;
  ValueId y = kNoValue;                 ///< dy in backward directions
  graph::NodeId relu = graph::kNoNode;  ///< the ReLU after it in the same group
  std::vector<graph::NodeId> covers;
  core::DType dtype = core::DType::kF32;
  DenseShape shape;
};

Linear describe(const GraphLowering& lowering, const Node& node) {
  Linear l;
  l.covers = {node.id};
  switch (node.op) {
    case OpKind::kLinear:
      l.x = node.inputs[0];
      l.weight = node.inputs[1];
      l.bias = node.inputs.size() > 2 ? node.inputs[2] : kNoValue;
      l.y = node.outputs[0];
      if (const FusedGroup* group = lowering.fusion().group_of(node.id); group != nullptr) {
        l.relu = group->relu;
        l.y = group->result;
      }
      break;
    case OpKind::kLinearBackwardData:
      l.direction = Direction::kBackwardData;
      l.y = node.inputs[0];
      l.weight = node.inputs[1];
      l.x = node.outputs[0];
      break;
    default:
      l.direction = Direction::kBackwardWeights;
      l.x = node.inputs[0];
      l.y = node.inputs[1];
      l.weight = node.outputs[0];
      l.bias = node.outputs.size() > 1 ? node.outputs[1] : kNoValue;
      break;
  }
  const core::Shape& weight = lowering.value(l.weight).shape;
  l.dtype = lowering.value(l.x).dtype;
  l.shape = {lowering.value(l.x).shape[0], weight[1], weight[0]};
  return l;
}

bool is_small(const GraphLowering& lowering, const Linear& l) {
  const bool gradients_are_f32 = l.direction != Direction::kBackwardWeights ||
                                 (lowering.gradient_is_f32(l.weight) &&
                                  (l.bias == kNoValue || lowering.gradient_is_f32(l.bias)));
  return l.shape.batch * l.shape.inputs * l.shape.outputs <= kSmallMacs && gradients_are_f32;
}

void emit_small_forward(GraphLowering& lowering, const Linear& l) {
  const Operand x = lowering.read(l.x);
  const Operand weight = lowering.read_f32(l.weight);
  Emission emission{
      .covers = l.covers, .reads = {x.slot, weight.slot}, .kernel_name = "own:linear"};
  const bool biased = l.bias != kNoValue;
  if (biased) {
    emission.reads.push_back(lowering.read_f32(l.bias).slot);
  }
  emission.writes = {lowering.write(l.y).slot};
  const bool relu = l.relu != graph::kNoNode;
  if (relu) {
    emission.covers.push_back(l.relu);
  }
  with_element(l.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=, shape = l.shape](const Call& call) {
      dense_forward<T>(shape,
                       call.in<T>(0),
                       call.in<float>(1),
                       biased ? call.in<float>(2) : nullptr,
                       relu,
                       call.out<T>(0));
    });
  });
}

void emit_small_backward_data(GraphLowering& lowering, const Linear& l) {
  const Operand y = lowering.read(l.y);
  const Operand weight = lowering.read_f32(l.weight);
  const Operand x = lowering.write(l.x);
  with_element(l.dtype, [&]<typename T>(T) {
    lowering.emit({.covers = l.covers,
                   .reads = {y.slot, weight.slot},
                   .writes = {x.slot},
                   .kernel_name = "own:linear"},
                  [shape = l.shape](const Call& call) {
                    dense_backward_data<T>(shape, call.in<T>(0), call.in<float>(1), call.out<T>(0));
                  });
  });
}

void emit_small_backward_weights(GraphLowering& lowering, const Linear& l) {
  const Operand x = lowering.read(l.x);
  const Operand y = lowering.read(l.y);
  Emission emission{.covers = l.covers,
                    .reads = {x.slot, y.slot},
                    .writes = {lowering.write(lowering.gradient_home(l.weight)).slot},
                    .kernel_name = "own:linear"};
  const bool biased = l.bias != kNoValue;
  if (biased) {
    emission.writes.push_back(lowering.write(lowering.gradient_home(l.bias)).slot);
  }
  with_element(l.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=, shape = l.shape](const Call& call) {
      dense_backward_weights<T>(shape,
                                call.in<T>(0),
                                call.in<T>(1),
                                call.out<float>(0),
                                biased ? call.out<float>(1) : nullptr);
    });
  });
}

std::vector<Candidate> candidates_for(const GraphLowering& lowering, const Linear& l) {
  const core::Shape& weight = lowering.value(l.weight).shape;
  const bool gradient = l.direction == Direction::kBackwardWeights;
  const core::DType state = gradient ? lowering.value(lowering.gradient_home(l.weight)).dtype
                                     : lowering.value(lowering.master_of(l.weight)).dtype;
  const core::DType compute = gradient ? state : l.dtype;
  DenseRequest request{.direction = l.direction,
                       .x = plain_desc(lowering.value(l.x).shape, l.dtype),
                       .weights = any_desc(weight, compute),
                       .bias = bias_desc(lowering, l.bias, l.direction),
                       .y = plain_desc(lowering.value(l.y).shape, l.dtype)};
  std::vector<Candidate> candidates;
  const MemoryDesc plain = plain_desc(weight, state);
  if (auto primitive = make_inner_product(request); primitive) {
    Candidate candidate{.name = "library_layout", .steps = {}};
    if (primitive->weights != plain && !gradient) {
      candidate.steps.push_back(make_reorder(plain, primitive->weights));
    }
    candidate.steps.push_back(*primitive);
    if (primitive->weights != plain && gradient) {
      candidate.steps.push_back(make_reorder(primitive->weights, plain));
    }
    candidates.push_back(std::move(candidate));
  }
  request.weights = plain_desc(weight, compute);
  if (auto primitive = make_inner_product(request); primitive && state == compute) {
    candidates.push_back({"plain", {*primitive}});
  }
  return candidates;
}

Primitive choose(GraphLowering& lowering, const Node& node, const Linear& l) {
  const std::vector<Candidate> candidates = candidates_for(lowering, l);
  const std::string& owner =
      node.forward != graph::kNoNode ? lowering.graph().node(node.forward).name : node.name;
  const std::string direction = l.direction == Direction::kForward        ? "forward"
                                : l.direction == Direction::kBackwardData ? "backward_data"
                                                                          : "backward_weights";
  const TuningKey key{owner + "|" + direction,
                      "linear " + direction + " " + std::string(core::name(l.dtype)) + " x" +
                          lowering.value(l.x).shape.to_string() + " w" +
                          lowering.value(l.weight).shape.to_string() +
                          (l.bias != kNoValue ? " bias" : "")};
  const std::size_t index = lowering.tuner().choose(key, candidates, "plain");
  lowering.decide(key.decision, candidates[index].name);
  for (const Primitive& step : candidates[index].steps) {
    if (!step.weights.is_zero()) {
      return step;
    }
  }
  return candidates[index].steps.front();
}

void emit_library(GraphLowering& lowering, const Node& node, const Linear& l) {
  const Primitive p = choose(lowering, node, l);
  const bool forward = l.direction == Direction::kForward;
  if (l.direction == Direction::kBackwardWeights) {
    const SlotId x = lowering.read(l.x).slot;
    const SlotId y = lowering.read(l.y).slot;
    const auto weights = lowering.begin_gradient(l.weight, p.weights, 1);
    Emission emission{.covers = l.covers, .reads = {x, y}, .writes = {weights.slot}};
    std::vector<PrimitiveArgument> arguments{{p.x_argument, p.x, x},
                                             {p.y_argument, p.y, y},
                                             {p.weights_argument, p.weights, weights.slot}};
    if (l.bias != kNoValue) {
      const SlotId bias = lowering.write(lowering.gradient_home(l.bias)).slot;
      emission.writes.push_back(bias);
      arguments.push_back({p.bias_argument, p.bias, bias});
    }
    lowering.emit(std::move(emission), p, std::move(arguments));
    return lowering.finish_gradient(weights, p.weights, 1, lowering.phase());
  }
  const SlotId from = lowering.read(forward ? l.x : l.y).slot;
  const SlotId weights = lowering.read_weights(l.weight, p.weights, 1);
  const Operand target = lowering.write(forward ? l.y : l.x);
  const SlotId to = target.slot;
  Emission emission{.covers = l.covers, .reads = {from, weights}, .writes = {to}};
  std::vector<PrimitiveArgument> arguments{{p.x_argument, p.x, forward ? from : to},
                                           {p.weights_argument, p.weights, weights},
                                           {p.y_argument, p.y, forward ? to : from}};
  if (l.bias != kNoValue) {
    const SlotId bias = lowering.read(lowering.master_of(l.bias)).slot;
    emission.reads.push_back(bias);
    arguments.push_back({p.bias_argument, p.bias, bias});
  }
  lowering.emit(std::move(emission), p, std::move(arguments));
  if (l.relu != graph::kNoNode) {
    emit_relu_in_place(lowering, l.relu, target);
  }
}

}  // namespace

void lower_linear(GraphLowering& lowering, const Node& node) {
  const Linear l = describe(lowering, node);
  if (!is_small(lowering, l)) {
    return emit_library(lowering, node, l);
  }
  switch (l.direction) {
    case Direction::kForward:
      return emit_small_forward(lowering, l);
    case Direction::kBackwardData:
      return emit_small_backward_data(lowering, l);
    case Direction::kBackwardWeights:
      return emit_small_backward_weights(lowering, l);
  }
}

}  // namespace dlbench::backend::cpu
