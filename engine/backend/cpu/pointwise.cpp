// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops, the per-channel gate and the per-channel bias.
#include "engine/backend/cpu/kernels/pointwise.h"

#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/core/check.h"

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace dlbench::backend::cpu {
namespace {

using graph::kNoNode;
using graph::Node;
using graph::OpKind;

/// A single row over all elements if all operands are dense, since channels do not matter.
Geometry flat(const std::vector<Operand>& operands) {
  for (const Operand& operand : operands) {
    if (!operand.dense()) {
      return operands.front().geometry();
    }
  }
  return {.spatial = operands.front().geometry().elements()};
}

std::int64_t stride_in(const Geometry& g, const Operand& operand) {
  return g.batch == 1 && g.channels == 1 ? g.spatial : operand.sample_stride;
}

template <typename T>
void run_unary(OpKind op, const Geometry& g, Rows<const T> x, Rows<T> y) {
  op == OpKind::kRelu ? relu<T>(g, x, y) : sigmoid<T>(g, x, y);
}

template <typename T>
void run_binary(OpKind op, const Geometry& g, Rows<const T> a, Rows<const T> b, Rows<T> y) {
  switch (op) {
    case OpKind::kReluBackward:
      return relu_backward<T>(g, a, b, y);
    case OpKind::kSigmoidBackward:
      return sigmoid_backward<T>(g, a, b, y);
    case OpKind::kMultiply:
      return multiply<T>(g, a, b, y);
    default:
      DLBENCH_CHECK(false) << "the cpu backend has no kernel of " << graph::name(op);
  }
}

void lower_unary(GraphLowering& lowering, const Node& node) {
  const Operand x = lowering.read_rows(node.inputs[0], lowering.layout_of(node.outputs[0]));
  const Operand y = lowering.write(node.outputs[0]);
  // sigmoid(0) is not 0: the kernel must know the channels to keep the padding zero.
  const bool padded = x.geometry().channels % x.layout.block != 0;
  const Geometry g = node.op == OpKind::kSigmoid && padded ? x.geometry() : flat({x, y});
  Emission emission{.covers = {node.id},
                    .reads = {x.slot},
                    .writes = {y.slot},
                    .kernel_name = "own:" + std::string(graph::name(node.op))};
  share_in_place(emission, x, y);
  with_element(x.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=, op = node.op](const Call& call) {
      run_unary<T>(op, g, {call.in<T>(0), stride_in(g, x)}, {call.out<T>(0), stride_in(g, y)});
    });
  });
}

void lower_binary(GraphLowering& lowering, const Node& node) {
  const Layout layout = lowering.layout_of(node.outputs[0]);
  const Operand a = lowering.read_rows(node.inputs[0], layout);
  const Operand b = lowering.read_rows(node.inputs[1], layout);
  const Operand y = lowering.write(node.outputs[0]);
  const Geometry g = flat({a, b, y});
  Emission emission{.covers = {node.id},
                    .reads = {a.slot, b.slot},
                    .writes = {y.slot},
                    .kernel_name = "own:" + std::string(graph::name(node.op))};
  share_in_place(emission, a, y);
  share_in_place(emission, b, y);
  with_element(a.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=, op = node.op](const Call& call) {
      run_binary<T>(op,
                    g,
                    {call.in<T>(0), stride_in(g, a)},
                    {call.in<T>(1), stride_in(g, b)},
                    {call.out<T>(0), stride_in(g, y)});
    });
  });
}

/// One addition, or a chain of them.
void lower_sum(GraphLowering& lowering, const Node& node) {
  const FusedGroup* group = lowering.fusion().group_of(node.id);
  const graph::ValueId result = group != nullptr ? group->result : node.outputs[0];
  Emission emission{.covers = {node.id}, .kernel_name = "own:add"};
  if (group != nullptr) {
    emission.covers = group->nodes;
  }
  std::vector<Operand> operands;
  for (const graph::ValueId id : group != nullptr ? group->summands : node.inputs) {
    operands.push_back(lowering.read_rows(id, lowering.layout_of(result)));
    emission.reads.push_back(operands.back().slot);
  }
  static_assert(kMaxSummands == 4, "what the kernel takes");
  DLBENCH_CHECK(operands.size() >= 2 && operands.size() <= kMaxSummands)
      << node.name << ": a sum of " << operands.size();
  const Operand y = lowering.write(result);
  emission.writes = {y.slot};
  for (const Operand& operand : operands) {
    share_in_place(emission, operand, y);
  }
  operands.push_back(y);
  const Geometry g = flat(operands);
  operands.pop_back();
  with_element(y.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=](const Call& call) {
      std::array<Rows<const T>, kMaxSummands> x;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        x[i] = {call.in<T>(i), stride_in(g, operands[i])};
      }
      add<T>(g, std::span(x).first(operands.size()), {call.out<T>(0), stride_in(g, y)});
    });
  });
}

void lower_scale(GraphLowering& lowering, const Node& node) {
  const FusedGroup* group = lowering.fusion().group_of(node.id);
  const graph::ValueId result = group != nullptr ? group->result : node.outputs[0];
  const Operand x = lowering.read_rows(node.inputs[0], lowering.layout_of(result));
  const Operand gate = lowering.read(node.inputs[1]);
  Emission emission{
      .covers = {node.id}, .reads = {x.slot, gate.slot}, .kernel_name = "own:scale_channels"};
  if (group != nullptr) {
    emission.covers = group->nodes;
    emission.kernel_name += "+average_gradient";
    const Node& spread = lowering.graph().node(group->before);
    emission.reads.push_back(lowering.read(spread.inputs[0]).slot);
  }
  const Operand y = lowering.write(result);
  emission.writes = {y.slot};
  share_in_place(emission, x, y);
  with_element(x.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=, shifted = group != nullptr](const Call& call) {
      scale_channels<T>(x.geometry(),
                        rows_in<T>(call, 0, x),
                        call.in<T>(1),
                        shifted ? call.in<T>(2) : nullptr,
                        rows_out<T>(call, 0, y));
    });
  });
}

void lower_scale_gradient(GraphLowering& lowering, const Node& node) {
  const Layout layout = lowering.layout_of(node.inputs[1]);
  const Operand dy = lowering.read_rows(node.inputs[0], layout);
  const Operand x = lowering.read_rows(node.inputs[1], layout);
  const Operand gate = lowering.write(node.outputs[0]);
  Emission emission{
      .covers = {node.id},
      .reads = {dy.slot, x.slot},
      .writes = {gate.slot},
      .scratch_bytes = static_cast<std::size_t>(reduction_scratch_bytes(x.geometry())),
      .kernel_name = "own:scale_channels_backward_gate"};
  with_element(x.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=](const Call& call) {
      sum_channels<T>(x.geometry(),
                      rows_in<T>(call, 0, dy),
                      rows_in<T>(call, 1, x),
                      1.0F,
                      call.out<T>(0),
                      reinterpret_cast<double*>(call.scratch));
    });
  });
}

void lower_bias(GraphLowering& lowering, const Node& node) {
  const Operand x = lowering.read_rows(node.inputs[0], lowering.layout_of(node.outputs[0]));
  const Operand bias = lowering.read_f32(node.inputs[1]);
  const Operand y = lowering.write(node.outputs[0]);
  Emission emission{.covers = {node.id},
                    .reads = {x.slot, bias.slot},
                    .writes = {y.slot},
                    .kernel_name = "own:add_bias"};
  share_in_place(emission, x, y);
  with_element(x.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=](const Call& call) {
      add_bias<T>(x.geometry(), rows_in<T>(call, 0, x), call.in<float>(1), rows_out<T>(call, 0, y));
    });
  });
}

void lower_bias_gradient(GraphLowering& lowering, const Node& node) {
  const Operand dy = lowering.read_rows(node.inputs[0], lowering.layout_of(node.inputs[0]));
  const Operand bias = lowering.write(lowering.gradient_home(node.outputs[0]));
  Emission emission{
      .covers = {node.id},
      .reads = {dy.slot},
      .writes = {bias.slot},
      .scratch_bytes = static_cast<std::size_t>(reduction_scratch_bytes(dy.geometry())),
      .kernel_name = "own:add_bias_backward"};
  with_element(dy.dtype, [&]<typename T>(T) {
    with_element(bias.dtype, [&]<typename Sum>(Sum) {
      lowering.emit(std::move(emission), [=](const Call& call) {
        sum_bias<T, Sum>(dy.geometry(),
                         rows_in<T>(call, 0, dy),
                         call.out<Sum>(0),
                         reinterpret_cast<double*>(call.scratch));
      });
    });
  });
}

}  // namespace

void emit_relu_in_place(GraphLowering& lowering, graph::NodeId node, const Operand& y) {
  const Geometry g = flat({y});
  with_element(y.dtype, [&]<typename T>(T) {
    lowering.emit(
        {.covers = {node}, .reads = {y.slot}, .writes = {y.slot}, .kernel_name = "own:relu"},
        [=](const Call& call) {
          relu<T>(g, {call.in<T>(0), stride_in(g, y)}, {call.out<T>(0), stride_in(g, y)});
        });
  });
}

void lower_add_bias(GraphLowering& lowering, const Node& node) {
  return node.op == OpKind::kAddBias ? lower_bias(lowering, node)
                                     : lower_bias_gradient(lowering, node);
}

void lower_pointwise(GraphLowering& lowering, const Node& node) {
  switch (node.op) {
    case OpKind::kRelu:
    case OpKind::kSigmoid:
      return lower_unary(lowering, node);
    case OpKind::kAdd:
      return lower_sum(lowering, node);
    case OpKind::kMultiply:
    case OpKind::kReluBackward:
    case OpKind::kSigmoidBackward:
      return lower_binary(lowering, node);
    default:
      DLBENCH_CHECK(false) << "the cpu backend has no kernel of " << graph::name(node.op);
  }
}

void lower_scale_channels(GraphLowering& lowering, const Node& node) {
  return node.op == OpKind::kScaleChannels ? lower_scale(lowering, node)
                                           : lower_scale_gradient(lowering, node);
}

}  // namespace dlbench::backend::cpu
