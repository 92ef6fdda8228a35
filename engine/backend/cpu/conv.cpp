// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions: candidates per direction (direct in blocks of channels, Winograd, direct with the
// channels innermost), one chosen by the tuner. Both ends always have one layout: mixed ends fall
// back to the library's reference loops. Weights and their gradients are plain in the state; the
// library's own layouts are reorder nodes.
#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/cpu/kernels/dense.h"
#include "engine/core/error.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::ConvAttributes;
using graph::Node;
using graph::OpKind;
using graph::ValueId;
using Direction = ContractionDirection;

/// A reference implementation is refused above this many multiply-adds.
constexpr std::int64_t kHotMacs = 20'000'000;
/// From this dilation on most taps of a small image lie in its padding, which the kernels for
/// channels-last skip.
constexpr std::int64_t kWideDilation = 4;
constexpr std::int64_t kFirstLayerChannels = 4;

/// A convolution node, sorted by role.
struct Convolution {
  Direction direction = Direction::kForward;
  ValueId x = graph::kNoValue;  ///< dx when going back to the data
  ValueId weight = graph::kNoValue;
  ValueId bias = graph::kNoValue;
  ValueId y = graph::kNoValue;  ///< dy when going back
  ConvAttributes attributes;
  std::size_t spatial_rank = 2;
  core::DType dtype = core::DType::kF32;
  bool relu = false;
  std::vector<graph::NodeId> covers;
};

std::string_view direction_name(Direction direction) {
  switch (direction) {
    case Direction::kForward:
      return "forward";
    case Direction::kBackwardData:
      return "backward_data";
    default:
      return "backward_weights";
  }
}

Convolution describe(const GraphLowering& lowering, const Node& node) {
  Convolution c;
  c.attributes = node.as<ConvAttributes>();
  c.covers = {node.id};
  if (node.op == OpKind::kConv) {
    c.x = node.inputs[0];
    c.weight = node.inputs[1];
    c.bias = node.inputs.size() > 2 ? node.inputs[2] : graph::kNoValue;
    c.y = node.outputs[0];
    if (const FusedGroup* group = lowering.fusion().group_of(node.id); group != nullptr) {
      c.relu = true;
      c.y = group->result;
      c.covers = group->nodes;
    }
  } else if (node.op == OpKind::kConvBackwardData) {
    c.direction = Direction::kBackwardData;
    c.y = node.inputs[0];
    c.weight = node.inputs[1];
    c.x = node.outputs[0];
  } else {
    c.direction = Direction::kBackwardWeights;
    c.x = node.inputs[0];
    c.y = node.inputs[1];
    c.weight = node.outputs[0];
    c.bias = node.outputs.size() > 1 ? node.outputs[1] : graph::kNoValue;
  }
  c.dtype = lowering.value(c.x).dtype;
  c.spatial_rank = lowering.value(c.x).shape.rank() - 2;
  return c;
}

/// Images of few channels are read as they are; all else is blocked.
Layout x_layout(const GraphLowering& lowering, const Convolution& c) {
  const bool image = lowering.value(c.x).shape[1] <= kFirstLayerChannels &&
                     c.direction != Direction::kBackwardData && c.attributes.groups == 1 &&
                     lowering.layout_of(c.x).block == 1;
  return image ? Layout{} : Layout{lowering.machine().block};
}

/// The weights' dtype in memory: that of the data, but gradients go to f32 where they end there.
core::DType weights_dtype(const GraphLowering& lowering, const Convolution& c) {
  return c.direction == Direction::kBackwardWeights
             ? lowering.value(lowering.gradient_home(c.weight)).dtype
             : c.dtype;
}

MemoryDesc bias_desc(const GraphLowering& lowering, const Convolution& c) {
  if (c.bias == graph::kNoValue) {
    return {};
  }
  const ValueId id = c.direction == Direction::kForward ? lowering.master_of(c.bias)
                                                        : lowering.gradient_home(c.bias);
  return plain_desc(lowering.value(id).shape, lowering.value(id).dtype);
}

ConvRequest request_for(const GraphLowering& lowering, const Convolution& c) {
  const core::Shape& x = lowering.value(c.x).shape;
  const core::Shape& y = lowering.value(c.y).shape;
  return {.direction = c.direction,
          .x = activation_desc(x, c.dtype, x_layout(lowering, c)),
          .weights = any_desc(
              lowering.value(c.weight).shape, weights_dtype(lowering, c), c.attributes.groups),
          .bias = bias_desc(lowering, c),
          .y = activation_desc(y, c.dtype, Layout{lowering.machine().block}),
          .attributes = c.attributes,
          .spatial_rank = c.spatial_rank,
          .relu = c.relu};
}

std::optional<Candidate> channels_last_candidate(const GraphLowering& lowering,
                                                 const Convolution& c,
                                                 const ConvRequest& blocked) {
  ConvRequest request = blocked;
  request.x = channels_last_desc(lowering.value(c.x).shape, c.dtype);
  request.y = channels_last_desc(lowering.value(c.y).shape, c.dtype);
  auto main = make_convolution(request);
  if (!main || is_reference(main->implementation)) {
    return std::nullopt;
  }
  Candidate candidate{.name = "channels_last", .steps = {}};
  const bool forward = c.direction == Direction::kForward;
  const bool data = c.direction == Direction::kBackwardData;
  if (!data) {
    candidate.steps.push_back(make_reorder(blocked.x, request.x));
  }
  if (!forward) {
    candidate.steps.push_back(make_reorder(blocked.y, request.y));
  }
  candidate.steps.push_back(*main);
  if (forward) {
    candidate.steps.push_back(make_reorder(request.y, blocked.y));
  }
  if (data) {
    candidate.steps.push_back(make_reorder(request.x, blocked.x));
  }
  return candidate;
}

std::int64_t largest_dilation(const Convolution& c) {
  return *std::max_element(c.attributes.dilation.begin(), c.attributes.dilation.end());
}

std::vector<Candidate> candidates_for(const GraphLowering& lowering, const Convolution& c) {
  const ConvRequest request = request_for(lowering, c);
  std::vector<Candidate> candidates;
  const ConvAlgorithm wanted = lowering.options().conv_algorithm;
  if (wanted != ConvAlgorithm::kDirect) {
    ConvRequest winograd = request;
    winograd.winograd = true;
    if (auto primitive = make_convolution(winograd); primitive) {
      candidates.push_back({"winograd", {*primitive}});
      if (wanted == ConvAlgorithm::kWinograd) {
        return candidates;
      }
    }
  }
  if (auto primitive = make_convolution(request); primitive) {
    candidates.insert(candidates.begin(), {"direct", {*primitive}});
  }
  if (largest_dilation(c) >= kWideDilation) {
    if (auto candidate = channels_last_candidate(lowering, c, request); candidate) {
      candidates.push_back(*candidate);
    }
  }
  return candidates;
}

std::string problem_text(const GraphLowering& lowering, const Convolution& c) {
  const auto spatial = [](const graph::Spatial& s) {
    return std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]);
  };
  const ConvAttributes& a = c.attributes;
  return "conv " + std::string(direction_name(c.direction)) + " " +
         std::string(core::name(c.dtype)) + " x" + lowering.value(c.x).shape.to_string() + " w" +
         lowering.value(c.weight).shape.to_string() + " y" + lowering.value(c.y).shape.to_string() +
         " s" + spatial(a.stride) + " d" + spatial(a.dilation) + " p" + spatial(a.pad_begin) +
         " g" + std::to_string(a.groups) + (c.bias != graph::kNoValue ? " bias" : "") +
         (c.relu ? " relu" : "");
}

std::string preferred_choice(const GraphLowering& lowering, const Convolution& c) {
  const core::Shape& weight = lowering.value(c.weight).shape;
  if (largest_dilation(c) >= 3 * kWideDilation && c.direction == Direction::kForward) {
    return "channels_last";
  }
  return weight[0] >= 32 && weight[1] >= 32 ? "winograd" : "direct";
}

const Primitive& main_step(const Candidate& candidate) {
  const auto found = std::find_if(candidate.steps.begin(),
                                  candidate.steps.end(),
                                  [](const Primitive& p) { return !p.weights.is_zero(); });
  return *found;
}

std::optional<Candidate> choose(GraphLowering& lowering, const Node& node, const Convolution& c) {
  std::vector<Candidate> candidates = candidates_for(lowering, c);
  const std::int64_t macs = graph::op_def(node.op).cost(lowering.graph(), node).macs;
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return macs > kHotMacs && is_reference(main_step(candidate).implementation);
  });
  if (candidates.empty()) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      "oneDNN has no fast kernel for " + node.name + ": " +
                          problem_text(lowering, c) + "; choose --backend ref");
  }
  const std::string& owner =
      node.forward != graph::kNoNode ? lowering.graph().node(node.forward).name : node.name;
  const TuningKey key{owner + "|" + std::string(direction_name(c.direction)),
                      problem_text(lowering, c)};
  const std::size_t index = lowering.tuner().choose(key, candidates, preferred_choice(lowering, c));
  lowering.decide(key.decision, candidates[index].name);
  return candidates[index];
}

/// A slot with the operand in the library's layout: the operand itself or a copy.
SlotId as_desc(GraphLowering& lowering,
               ValueId id,
               const Operand& operand,
               const MemoryDesc& have,
               const MemoryDesc& want) {
  if (have == want) {
    return operand.slot;
  }
  const SlotId slot = lowering.temporary(want.get_size(), "library");
  lowering.emit_reorder(lowering.value(id).name, lowering.phase(), operand.slot, have, slot, want);
  return slot;
}

/// Where the primitive writes an activation, and the copy to the value's own layout behind it.
class ActivationTarget {
 public:
  ActivationTarget(GraphLowering& lowering, ValueId id, const MemoryDesc& desc)
      : lowering_(lowering), id_(id), desc_(desc), home_(lowering.write(id)) {
    home_desc_ = activation_desc(home_.shape, home_.dtype, home_.layout);
    slot_ = home_desc_ == desc ? home_.slot : lowering.temporary(desc.get_size(), "library");
  }
  [[nodiscard]] SlotId slot() const { return slot_; }
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
  const Layout layout = x_layout(lowering, c);
  const Operand x = lowering.read(c.x, layout);
  const SlotId x_slot = as_desc(lowering, c.x, x, activation_desc(x.shape, x.dtype, layout), p.x);
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
}

void emit_backward_data(GraphLowering& lowering, const Convolution& c, const Primitive& p) {
  const Layout blocked{lowering.machine().block};
  const Operand y = lowering.read(c.y, blocked);
  const SlotId y_slot = as_desc(lowering, c.y, y, activation_desc(y.shape, y.dtype, blocked), p.y);
  const SlotId weights = lowering.read_weights(c.weight, p.weights, c.attributes.groups);
  ActivationTarget x(lowering, c.x, p.x);
  lowering.emit({.covers = c.covers, .reads = {y_slot, weights}, .writes = {x.slot()}},
                p,
                {{p.y_argument, p.y, y_slot},
                 {p.weights_argument, p.weights, weights},
                 {p.x_argument, p.x, x.slot()}});
  x.finish();
}

void emit_backward_weights(GraphLowering& lowering, const Convolution& c, const Primitive& p) {
  const Layout layout = x_layout(lowering, c);
  const Layout blocked{lowering.machine().block};
  const Operand x = lowering.read(c.x, layout);
  const SlotId x_slot = as_desc(lowering, c.x, x, activation_desc(x.shape, x.dtype, layout), p.x);
  const Operand y = lowering.read(c.y, blocked);
  const SlotId y_slot = as_desc(lowering, c.y, y, activation_desc(y.shape, y.dtype, blocked), p.y);
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

/// A 1x1 convolution to one channel: a dot product per pixel.
bool is_head(const GraphLowering& lowering, const Convolution& c) {
  const core::Shape& weight = lowering.value(c.weight).shape;
  const ConvAttributes& a = c.attributes;
  const graph::Spatial ones{1, 1, 1};
  const graph::Spatial zeros{0, 0, 0};
  return weight.elements() == weight[1] && weight[0] == 1 && a.stride == ones &&
         a.pad_begin == zeros && a.pad_end == zeros && a.groups == 1 && !c.relu;
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

/// The head kernel writes weight gradients in f32.
bool head_gradient_fits(const GraphLowering& lowering, const Convolution& c) {
  return c.direction != Direction::kBackwardWeights ||
         lowering.value(lowering.gradient_home(c.weight)).dtype == core::DType::kF32;
}

}  // namespace

void lower_convolution(GraphLowering& lowering, const Node& node) {
  const Convolution c = describe(lowering, node);
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
  const auto candidate = choose(lowering, node, c);
  const Primitive& primitive = main_step(*candidate);
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
