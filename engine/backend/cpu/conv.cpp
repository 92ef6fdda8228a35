// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Emits convolutions as chosen in conv_candidates.cpp. Weights and their gradients are plain in the
// state; reorder nodes convert from and to the library's own layouts.
#include "engine/backend/cpu/conv_internal.h"
#include "engine/backend/cpu/kernels/channel_copy.h"
#include "engine/backend/cpu/kernels/dense.h"

#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::ConvAttributes;
using graph::Node;
using graph::ValueId;
using Direction = ContractionDirection;

/// The slot to which a primitive writes an activation, and the copy to the value's own layout after
/// it.
class ActivationTarget {
 public:
  ActivationTarget(GraphLowering& lowering, ValueId id, const MemoryDesc& desc)
      : lowering_(lowering), id_(id), desc_(desc), home_(lowering.write(id)) {
    home_desc_ = activation_desc(home_.shape, home_.dtype, home_.layout);
    slot_ = home_desc_ == desc ? home_.slot : lowering.temporary(desc.get_size(), "library");
  }
  [[nodiscard]] SlotId slot() const { return slot_; }
  [[nodiscard]] const Operand& home() const { return home_; }
  void finish() {
    if (slot_ != home_.slot) {
      lowering_.emit_reorder(
          lowering_.value(id_).name, lowering_.phase(), slot_, desc_, home_.slot, home_desc_);
    }
  }

 private:
  GraphLowering& lowering_;
  ValueId id_;
  MemoryDesc desc_;
  Operand home_;
  MemoryDesc home_desc_;
  SlotId slot_ = kNoSlot;
};

void emit_forward(GraphLowering& lowering, const Convolution& c, const Primitive& p) {
  const Layout layout = convolution_input_layout(lowering, c);
  const Operand x = lowering.read(c.x, layout);
  const SlotId x_slot = lowering.read_as(c.x, x, activation_desc(x.shape, x.dtype, layout), p.x);
  const SlotId weights = lowering.read_weights(c.weight, p.weights, c.attributes.groups);
  ActivationTarget y(lowering, c.y, p.y);
  Emission emission{.covers = c.covers, .reads = {x_slot, weights}, .writes = {y.slot()}};
  std::vector<PrimitiveArgument> arguments{{p.x_argument, p.x, x_slot},
                                           {p.weights_argument, p.weights, weights},
                                           {p.y_argument, p.y, y.slot()}};
  if (c.bias != graph::kNoValue) {
    const SlotId bias = lowering.read(lowering.master_of(c.bias), Layout{}).slot;
    emission.reads.push_back(bias);
    arguments.push_back({p.bias_argument, p.bias, bias});
  }
  lowering.emit(std::move(emission), p, std::move(arguments));
  y.finish();
  if (c.relu != graph::kNoNode) {
    emit_relu_in_place(lowering, c.relu, y.home());
  }
}

void emit_backward_data(GraphLowering& lowering, const Convolution& c, const Primitive& p) {
  const Layout blocked{lowering.machine().block};
  const Operand y = lowering.read(c.y, blocked);
  const SlotId y_slot = lowering.read_as(c.y, y, activation_desc(y.shape, y.dtype, blocked), p.y);
  const SlotId weights = lowering.read_weights(c.weight, p.weights, c.attributes.groups);
  ActivationTarget x(lowering, c.x, p.x);
  lowering.emit({.covers = c.covers, .reads = {y_slot, weights}, .writes = {x.slot()}},
                p,
                {{p.y_argument, p.y, y_slot},
                 {p.weights_argument, p.weights, weights},
                 {p.x_argument, p.x, x.slot()}});
  x.finish();
}

/// Emits a copy of the f32 weights with the kernel flipped and the channel axes swapped.
SlotId transpose_for_forward(GraphLowering& lowering, const Convolution& c) {
  const graph::Value& value = lowering.value(lowering.master_of(c.weight));
  const Operand weight = lowering.read(value.id, Layout{});
  const SlotId slot = lowering.temporary(physical_bytes(value.shape, value.dtype, {}), "plain");
  const std::int64_t taps = value.shape.elements() / (value.shape[0] * value.shape[1]);
  lowering.emit({.name = "reorder/" + value.name,
                 .reads = {weight.slot},
                 .writes = {slot},
                 .kernel_name = "own:transpose_weights"},
                [k = value.shape[0], c_in = value.shape[1], taps](const Call& call) {
                  transpose_weights(k, c_in, taps, call.in<float>(0), call.out<float>(0));
                });
  return slot;
}

void emit_as_forward(GraphLowering& lowering, const Convolution& c, const Primitive& p) {
  const Layout blocked{lowering.machine().block};
  const core::Shape& weight = lowering.value(c.weight).shape;
  const Operand y = lowering.read(c.y, blocked);
  const SlotId y_slot = lowering.read_as(c.y, y, activation_desc(y.shape, y.dtype, blocked), p.x);
  const SlotId transposed = transpose_for_forward(lowering, c);
  SlotId weights = transposed;
  const MemoryDesc plain =
      plain_desc(weight.with(0, weight[1]).with(1, weight[0]), core::DType::kF32);
  if (plain != p.weights) {
    weights = lowering.temporary(p.weights.get_size(), "library");
    lowering.emit_reorder(
        lowering.value(c.weight).name, lowering.phase(), transposed, plain, weights, p.weights);
  }
  ActivationTarget x(lowering, c.x, p.y);
  lowering.emit({.covers = c.covers, .reads = {y_slot, weights}, .writes = {x.slot()}},
                p,
                {{p.x_argument, p.x, y_slot},
                 {p.weights_argument, p.weights, weights},
                 {p.y_argument, p.y, x.slot()}});
  x.finish();
}

void emit_backward_weights(GraphLowering& lowering, const Convolution& c, const Primitive& p) {
  const Layout layout = convolution_input_layout(lowering, c);
  const Layout blocked{lowering.machine().block};
  const Operand x = lowering.read(c.x, layout);
  const SlotId x_slot = lowering.read_as(c.x, x, activation_desc(x.shape, x.dtype, layout), p.x);
  const Operand y = lowering.read(c.y, blocked);
  const SlotId y_slot = lowering.read_as(c.y, y, activation_desc(y.shape, y.dtype, blocked), p.y);
  const auto weights = lowering.begin_gradient(c.weight, p.weights, c.attributes.groups);
  Emission emission{.covers = c.covers, .reads = {x_slot, y_slot}, .writes = {weights.slot}};
  std::vector<PrimitiveArgument> arguments{{p.x_argument, p.x, x_slot},
                                           {p.y_argument, p.y, y_slot},
                                           {p.weights_argument, p.weights, weights.slot}};
  if (c.bias != graph::kNoValue) {
    const SlotId bias = lowering.write(lowering.gradient_home(c.bias)).slot;
    emission.writes.push_back(bias);
    arguments.push_back({p.bias_argument, p.bias, bias});
  }
  lowering.emit(std::move(emission), p, std::move(arguments));
  lowering.finish_gradient(weights, p.weights, c.attributes.groups, lowering.phase());
}

/// Whether this is a 1x1 convolution to one channel: a dot product per pixel.
bool is_head(const GraphLowering& lowering, const Convolution& c) {
  const core::Shape& weight = lowering.value(c.weight).shape;
  const ConvAttributes& a = c.attributes;
  const graph::Spatial ones{1, 1, 1};
  const graph::Spatial zeros{0, 0, 0};
  return weight.elements() == weight[1] && weight[0] == 1 && a.stride == ones &&
         a.pad_begin == zeros && a.pad_end == zeros && a.groups == 1 && c.relu == graph::kNoNode;
}

void emit_head_forward(GraphLowering& lowering, const Convolution& c) {
  const Operand x = lowering.read_rows(c.x, lowering.layout_of(c.x));
  const Operand weight = lowering.read_f32(c.weight);
  const Operand y = lowering.write(c.y);
  Emission emission{.covers = c.covers,
                    .reads = {x.slot, weight.slot},
                    .writes = {y.slot},
                    .kernel_name = "own:head"};
  const bool biased = c.bias != graph::kNoValue;
  if (biased) {
    emission.reads.push_back(lowering.read_f32(c.bias).slot);
  }
  with_element(c.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [x, biased](const Call& call) {
      head_forward<T>(x.geometry(),
                      rows_in<T>(call, 0, x),
                      call.in<float>(1),
                      biased ? call.in<float>(2) : nullptr,
                      call.out<T>(0));
    });
  });
}

void emit_head_backward_data(GraphLowering& lowering, const Convolution& c) {
  const Operand y = lowering.read(c.y, Layout{});
  const Operand weight = lowering.read_f32(c.weight);
  const Operand x = lowering.write(c.x);
  with_element(c.dtype, [&]<typename T>(T) {
    lowering.emit({.covers = c.covers,
                   .reads = {y.slot, weight.slot},
                   .writes = {x.slot},
                   .kernel_name = "own:head"},
                  [x](const Call& call) {
                    head_backward_data<T>(
                        x.geometry(), call.in<T>(0), call.in<float>(1), rows_out<T>(call, 0, x));
                  });
  });
}

void emit_head_backward_weights(GraphLowering& lowering, const Convolution& c) {
  const Operand x = lowering.read_rows(c.x, lowering.layout_of(c.x));
  const Operand y = lowering.read(c.y, Layout{});
  const Operand weight = lowering.write(lowering.gradient_home(c.weight));
  Emission emission{.covers = c.covers,
                    .reads = {x.slot, y.slot},
                    .writes = {weight.slot},
                    .scratch_bytes = static_cast<std::size_t>(head_scratch_bytes(x.geometry())),
                    .kernel_name = "own:head"};
  const bool biased = c.bias != graph::kNoValue;
  if (biased) {
    emission.writes.push_back(lowering.write(lowering.gradient_home(c.bias)).slot);
  }
  with_element(c.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [x, biased](const Call& call) {
      head_backward_weights<T>(x.geometry(),
                               rows_in<T>(call, 0, x),
                               call.in<T>(1),
                               call.out<float>(0),
                               biased ? call.out<float>(1) : nullptr,
                               reinterpret_cast<double*>(call.scratch));
    });
  });
}

/// Whether the head kernel can be used: it writes gradients of weights and bias in f32.
bool head_gradient_fits(const GraphLowering& lowering, const Convolution& c) {
  return c.direction != Direction::kBackwardWeights ||
         (lowering.gradient_is_f32(c.weight) &&
          (c.bias == graph::kNoValue || lowering.gradient_is_f32(c.bias)));
}

}  // namespace

void lower_convolution(GraphLowering& lowering, const Node& node) {
  const Convolution c = describe_convolution(lowering, node);
  if (is_head(lowering, c) && head_gradient_fits(lowering, c)) {
    switch (c.direction) {
      case Direction::kForward:
        return emit_head_forward(lowering, c);
      case Direction::kBackwardData:
        return emit_head_backward_data(lowering, c);
      case Direction::kBackwardWeights:
        return emit_head_backward_weights(lowering, c);
    }
  }
  const Candidate candidate = choose_convolution(lowering, node, c);
  const Primitive& primitive = main_step(candidate);
  if (candidate.name == kAsForward || candidate.name == kAsForwardChannelsLast) {
    return emit_as_forward(lowering, c, primitive);
  }
  switch (c.direction) {
    case Direction::kForward:
      return emit_forward(lowering, c, primitive);
    case Direction::kBackwardData:
      return emit_backward_data(lowering, c, primitive);
    case Direction::kBackwardWeights:
      return emit_backward_weights(lowering, c, primitive);
  }
}

}  // namespace dlbench::backend::cpu
