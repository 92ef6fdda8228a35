// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The ways to compute a convolution: direct in blocks of channels, Winograd, direct with the
// channels innermost; backward data of wide dilations also as a forward pass. The tuner picks one.
// x and y always have the same layout: with mixed layouts the library uses its reference loops.
#include "engine/backend/cpu/conv_internal.h"
#include "engine/backend/cpu/onednn_versions_internal.h"
#include "engine/core/error.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::ConvAttributes;
using graph::Node;
using graph::OpKind;
using graph::ValueId;
using Direction = ContractionDirection;

/// Reference implementations are rejected above this many multiply-adds, and below it if there is
/// any other implementation.
constexpr std::int64_t kHotMacs = 20'000'000;
/// From this dilation on most taps of a small image fall into its padding, which the channels-last
/// kernels skip.
constexpr std::int64_t kWideDilation = 4;
constexpr std::int64_t kFirstLayerChannels = 4;
constexpr const char* kTiled = "direct_amx";
constexpr const char* kTiledBrgemm = "direct_amx_brgemm";

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

}  // namespace

const Primitive& main_step(const Candidate& candidate) {
  const auto found = std::find_if(candidate.steps.begin(),
                                  candidate.steps.end(),
                                  [](const Primitive& p) { return !p.weights.is_zero(); });
  return *found;
}

Convolution describe_convolution(const GraphLowering& lowering, const Node& node) {
  Convolution c;
  c.attributes = node.op == OpKind::kConvTranspose ? node.as<graph::ConvTransposeAttributes>().conv
                                                   : node.as<ConvAttributes>();
  c.covers = {node.id};
  if (node.op == OpKind::kConv) {
    c.x = node.inputs[0];
    c.weight = node.inputs[1];
    c.bias = node.inputs.size() > 2 ? node.inputs[2] : graph::kNoValue;
    c.y = node.outputs[0];
    if (const FusedGroup* group = lowering.fusion().group_of(node.id); group != nullptr) {
      c.relu = group->relu;
      c.y = group->result;
    }
  } else if (node.op == OpKind::kConvBackwardData || node.op == OpKind::kConvTranspose) {
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

Layout convolution_input_layout(const GraphLowering& lowering, const Convolution& c) {
  const bool image = lowering.value(c.x).shape[1] <= kFirstLayerChannels &&
                     c.direction != Direction::kBackwardData && c.attributes.groups == 1 &&
                     lowering.layout_of(c.x).block == 1;
  return image ? Layout{} : Layout{lowering.machine().block};
}

namespace {

/// The dtype of the weights in memory: that of the data; for gradients that of gradient_home().
core::DType weights_dtype(const GraphLowering& lowering, const Convolution& c) {
  return c.direction == Direction::kBackwardWeights
             ? lowering.value(lowering.gradient_home(c.weight)).dtype
             : c.dtype;
}

ConvRequest request_for(const GraphLowering& lowering, const Convolution& c) {
  const core::Shape& x = lowering.value(c.x).shape;
  const core::Shape& y = lowering.value(c.y).shape;
  return {.direction = c.direction,
          .x = activation_desc(x, c.dtype, convolution_input_layout(lowering, c)),
          .weights = any_desc(
              lowering.value(c.weight).shape, weights_dtype(lowering, c), c.attributes.groups),
          .bias = bias_desc(lowering, c.bias, c.direction),
          .y = activation_desc(y, c.dtype, Layout{lowering.machine().block}),
          .attributes = c.attributes,
          .spatial_rank = c.spatial_rank};
}

/// The convolution with x and y in other layouts, and the copies from and to their own; nullopt if
/// the library only has reference loops for it.
std::optional<Candidate> relaid_candidate(const std::string& name,
                                          const Convolution& c,
                                          const ConvRequest& blocked,
                                          const MemoryDesc& x,
                                          const MemoryDesc& y) {
  ConvRequest request = blocked;
  request.x = x;
  request.y = y;
  auto main = make_convolution(request);
  if (!main || is_reference(main->implementation)) {
    return std::nullopt;
  }
  Candidate candidate{.name = name, .steps = {}};
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

/// dx = forward convolution of dy with the kernel flipped and its channel axes swapped: the
/// library's own backward pass falls back to a slow kernel for wide dilations.
ConvRequest as_forward_request(const GraphLowering& lowering,
                               const Convolution& c,
                               const ConvRequest& backward) {
  const core::Shape& weight = lowering.value(c.weight).shape;
  ConvRequest request = backward;
  request.direction = Direction::kForward;
  std::swap(request.x, request.y);
  request.weights = any_desc(weight.with(0, weight[1]).with(1, weight[0]), c.dtype);
  for (std::size_t axis = 0; axis < c.spatial_rank; ++axis) {
    const std::int64_t span = c.attributes.dilation[axis] * (weight[axis + 2] - 1);
    request.attributes.pad_begin[axis] = span - c.attributes.pad_begin[axis];
    request.attributes.pad_end[axis] = span - c.attributes.pad_end[axis];
  }
  return request;
}

bool can_run_as_forward(const GraphLowering& lowering, const Convolution& c) {
  const core::Shape& weight = lowering.value(c.weight).shape;
  bool fits = c.direction == Direction::kBackwardData && c.attributes.groups == 1 &&
              lowering.value(lowering.master_of(c.weight)).dtype == core::DType::kF32;
  for (std::size_t axis = 0; axis < c.spatial_rank; ++axis) {
    const std::int64_t span = c.attributes.dilation[axis] * (weight[axis + 2] - 1);
    fits = fits && c.attributes.stride[axis] == 1 && c.attributes.pad_begin[axis] <= span &&
           c.attributes.pad_end[axis] <= span;
  }
  return fits;
}

void add_as_forward(const GraphLowering& lowering,
                    const Convolution& c,
                    const ConvRequest& backward,
                    std::vector<Candidate>& candidates) {
  ConvRequest request = as_forward_request(lowering, c, backward);
  if (auto primitive = make_convolution(request); primitive) {
    candidates.push_back({kAsForward, {*primitive}});
  }
  const MemoryDesc dy = request.x;
  const MemoryDesc dx = request.y;
  request.x = channels_last_desc(lowering.value(c.y).shape, c.dtype);
  request.y = channels_last_desc(lowering.value(c.x).shape, c.dtype);
  if (auto primitive = make_convolution(request); primitive) {
    candidates.push_back({kAsForwardChannelsLast,
                          {make_reorder(dy, request.x), *primitive, make_reorder(request.y, dx)}});
  }
}

/// Whether the library's Winograd is correct here: its backward data is wrong if padding differs
/// between the two ends of an axis (oneDNN 2.6.3, jit_wino_4x3).
bool winograd_is_right(const Convolution& c) {
  return c.direction != Direction::kBackwardData || c.attributes.pad_begin == c.attributes.pad_end;
}

/// Adds the convolution in f32 for bf16 operands, which are widened before and rounded after. Exact
/// products, and faster if the processor multiplies f32 at twice the rate of bf16 pairs, or if
/// Winograd, which the library only has in f32, saves more than the copies cost.
void add_widened(const GraphLowering& lowering,
                 const Convolution& c,
                 const ConvRequest& narrow,
                 std::vector<Candidate>& candidates) {
  ConvRequest request = narrow;
  const auto f32 = core::DType::kF32;
  request.x =
      activation_desc(lowering.value(c.x).shape, f32, convolution_input_layout(lowering, c));
  request.y = activation_desc(lowering.value(c.y).shape, f32, Layout{lowering.machine().block});
  request.weights = any_desc(lowering.value(c.weight).shape, f32, c.attributes.groups);
  if (!request.bias.is_zero()) {
    request.bias = plain_desc(core::Shape{lowering.value(c.weight).shape[0]}, f32);
  }
  for (const bool winograd : {false, true}) {
    request.winograd = winograd;
    if (winograd &&
        (lowering.options().conv_algorithm == ConvAlgorithm::kDirect || !winograd_is_right(c))) {
      continue;
    }
    if (auto primitive = make_convolution(request); primitive) {
      Candidate candidate{.name = winograd ? "winograd_f32" : "direct_f32", .steps = {}};
      const bool reads_x = c.direction != Direction::kBackwardData;
      const bool reads_y = c.direction != Direction::kForward;
      if (reads_x) {
        candidate.steps.push_back(make_reorder(narrow.x, request.x));
      }
      if (reads_y) {
        candidate.steps.push_back(make_reorder(narrow.y, request.y));
      }
      candidate.steps.push_back(*primitive);
      if (!reads_x) {
        candidate.steps.push_back(make_reorder(request.x, narrow.x));
      }
      if (!reads_y) {
        candidate.steps.push_back(make_reorder(request.y, narrow.y));
      }
      candidates.push_back(std::move(candidate));
    }
  }
}

bool uses_tiles(const std::string& implementation) {
  return implementation.find("amx") != std::string::npos;
}

/// Adds kernels on matrix tiles (AMX), which the library only has for channels-last. Forward has
/// two kernels, either of which may be faster.
void add_tiled(const GraphLowering& lowering,
               const Convolution& c,
               const ConvRequest& blocked,
               std::vector<Candidate>& candidates) {
  if (c.dtype != core::DType::kBF16 || !uses_tiles(onednn_isa())) {
    return;
  }
  const MemoryDesc x = channels_last_desc(lowering.value(c.x).shape, c.dtype);
  const MemoryDesc y = channels_last_desc(lowering.value(c.y).shape, c.dtype);
  ConvRequest request = blocked;
  std::string first;
  for (const bool no_brgemm : {true, false}) {
    request.no_brgemm = no_brgemm;
    const char* name = no_brgemm ? kTiled : kTiledBrgemm;
    if (auto candidate = relaid_candidate(name, c, request, x, y);
        candidate.has_value() && uses_tiles(main_step(*candidate).implementation) &&
        main_step(*candidate).implementation != first) {
      first = main_step(*candidate).implementation;
      candidates.push_back(std::move(*candidate));
    }
  }
}

/// Whether bias and its gradient are f32: true except for graphs that begin in bf16.
bool bias_is_f32(const GraphLowering& lowering, const Convolution& c) {
  const MemoryDesc bias = bias_desc(lowering, c.bias, c.direction);
  return bias.is_zero() || data_type_of(bias) == dnnl::memory::data_type::f32;
}

bool is_slow(const Candidate& candidate) {
  return is_reference(main_step(candidate).implementation);
}

std::vector<Candidate> candidates_for(const GraphLowering& lowering, const Convolution& c) {
  const ConvRequest request = request_for(lowering, c);
  const core::Shape& x_shape = lowering.value(c.x).shape;
  const core::Shape& y_shape = lowering.value(c.y).shape;
  std::vector<Candidate> candidates;
  const ConvAlgorithm wanted = lowering.options().conv_algorithm;
  if (wanted != ConvAlgorithm::kDirect && winograd_is_right(c)) {
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
  if (c.dtype == core::DType::kBF16 && bias_is_f32(lowering, c)) {
    add_widened(lowering, c, request, candidates);
  }
  add_tiled(lowering, c, request, candidates);
  if (largest_dilation(c) >= kWideDilation) {
    if (auto candidate = relaid_candidate("channels_last",
                                          c,
                                          request,
                                          channels_last_desc(x_shape, c.dtype),
                                          channels_last_desc(y_shape, c.dtype))) {
      candidates.push_back(*candidate);
    }
    if (can_run_as_forward(lowering, c)) {
      add_as_forward(lowering, c, request, candidates);
    }
  }
  if (std::all_of(candidates.begin(), candidates.end(), is_slow)) {
    // As a matrix product, if the processor's vectors are narrower than what the blocked kernels
    // need for this shape.
    if (auto candidate = relaid_candidate(
            "plain", c, request, plain_desc(x_shape, c.dtype), plain_desc(y_shape, c.dtype))) {
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
         " g" + std::to_string(a.groups) + (c.bias != graph::kNoValue ? " bias" : "");
}

/// The requested algorithm as part of the problem's key: the best of a restricted set of candidates
/// must not be reused as the best of all.
std::string restriction_text(ConvAlgorithm wanted) {
  return wanted == ConvAlgorithm::kAuto ? ""
                                        : " " + std::string(core::name_in(kConvAlgorithms, wanted));
}

std::string preferred_choice(const GraphLowering& lowering,
                             const Convolution& c,
                             const std::vector<Candidate>& candidates) {
  for (const char* name : {kTiled, kTiledBrgemm}) {
    if (std::ranges::find(candidates, name, &Candidate::name) != candidates.end()) {
      return name;
    }
  }
  const core::Shape& weight = lowering.value(c.weight).shape;
  if (largest_dilation(c) >= 3 * kWideDilation) {
    return c.direction == Direction::kForward        ? "channels_last"
           : c.direction == Direction::kBackwardData ? kAsForwardChannelsLast
                                                     : "direct";
  }
  return weight[0] >= 32 && weight[1] >= 32 ? "winograd" : "direct";
}

}  // namespace

Candidate choose_convolution(GraphLowering& lowering, const Node& node, const Convolution& c) {
  std::vector<Candidate> candidates = candidates_for(lowering, c);
  const std::int64_t macs = graph::op_def(node.op).cost(lowering.graph(), node).macs;
  if (macs > kHotMacs || !std::all_of(candidates.begin(), candidates.end(), is_slow)) {
    std::erase_if(candidates, is_slow);
  }
  const auto is_winograd = [](const Candidate& candidate) {
    return candidate.name.starts_with("winograd");
  };
  const ConvAlgorithm wanted = lowering.options().conv_algorithm;
  if (wanted == ConvAlgorithm::kWinograd && std::ranges::any_of(candidates, is_winograd)) {
    std::erase_if(candidates, std::not_fn(is_winograd));
  }
  if (candidates.empty()) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      "oneDNN has no fast kernel for " + node.name + ": " +
                          problem_text(lowering, c) +
                          "; choose the ref backend (--device ref, for verify --backend ref)");
  }
  const std::string& owner =
      node.forward != graph::kNoNode ? lowering.graph().node(node.forward).name : node.name;
  const TuningKey key{owner + "|" + std::string(direction_name(c.direction)),
                      problem_text(lowering, c) + restriction_text(wanted)};
  const std::size_t index =
      lowering.tuner().choose(key, candidates, preferred_choice(lowering, c, candidates));
  lowering.decide(key.decision, candidates[index].name);
  return candidates[index];
}

}  // namespace dlbench::backend::cpu
