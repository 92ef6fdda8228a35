// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the two files of the convolutions share: the node sorted by role, and the choice of how to
// do it.
#pragma once

#include "engine/backend/cpu/graph_lowering_internal.h"

#include <string>
#include <vector>

namespace dlbench::backend::cpu {

/// A convolution node, sorted by role.
struct Convolution {
  ContractionDirection direction = ContractionDirection::kForward;
  graph::ValueId x = graph::kNoValue;  ///< dx when going back to the data: it is written
  graph::ValueId weight = graph::kNoValue;
  graph::ValueId bias = graph::kNoValue;
  graph::ValueId y = graph::kNoValue;  ///< dy when going back
  graph::ConvAttributes attributes;
  std::size_t spatial_rank = 2;
  core::DType dtype = core::DType::kF32;
  graph::NodeId relu = graph::kNoNode;  ///< behind it, of the same group
  std::vector<graph::NodeId> covers;
};

/// A backward-data pass of stride 1 done as a forward pass over dy, with transposed weights.
inline constexpr const char* kAsForward = "as_forward";
inline constexpr const char* kAsForwardChannelsLast = "as_forward_channels_last";

/// The role of each operand of a convolution node; fused nodes included. A transposed convolution
/// is the backward-data pass of one: what it reads is c.y, what it writes c.x.
[[nodiscard]] Convolution describe_convolution(const GraphLowering& lowering,
                                               const graph::Node& node);
/// The layout in which x is read: images of few channels as they are, all else blocked.
[[nodiscard]] Layout convolution_input_layout(const GraphLowering& lowering, const Convolution& c);
/// The candidate that the tuner picks. Throws core::Error(kUnavailable) if only reference loops
/// could do a hot node.
[[nodiscard]] Candidate choose_convolution(GraphLowering& lowering,
                                           const graph::Node& node,
                                           const Convolution& c);
/// The step of a candidate that computes; the others are reorders.
[[nodiscard]] const Primitive& main_step(const Candidate& candidate);

}  // namespace dlbench::backend::cpu
