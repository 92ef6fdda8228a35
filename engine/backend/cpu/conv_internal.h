// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Shared by the two convolution sources: the operands of a node by role, and the choice of an
// implementation.
#pragma once

#include "engine/backend/cpu/graph_lowering_internal.h"

#include <string>
#include <vector>

namespace dlbench::backend::cpu {

/// A convolution node with its operands by role.
struct Convolution {
  ContractionDirection direction = ContractionDirection::kForward;
  graph::ValueId x = graph::kNoValue;  ///< dx in backward data, where it is written
  graph::ValueId weight = graph::kNoValue;
  graph::ValueId bias = graph::kNoValue;
  graph::ValueId y = graph::kNoValue;  ///< dy in backward directions
  graph::ConvAttributes attributes;
  std::size_t spatial_rank = 2;
  core::DType dtype = core::DType::kF32;
  graph::NodeId relu = graph::kNoNode;  ///< the ReLU after it in the same group
  std::vector<graph::NodeId> covers;
};

/// A backward-data pass of stride 1 computed as a forward pass over dy with transposed weights.
inline constexpr const char* kAsForward = "as_forward";
inline constexpr const char* kAsForwardChannelsLast = "as_forward_channels_last";

/// Assigns a role to each operand of a convolution node, fused nodes included. A transposed
/// convolution is the backward-data pass of a convolution: it reads c.y and writes c.x.
[[nodiscard]] Convolution describe_convolution(const GraphLowering& lowering,
                                               const graph::Node& node);
/// The layout in which x is read: plain for images of few channels, otherwise blocked.
[[nodiscard]] Layout convolution_input_layout(const GraphLowering& lowering, const Convolution& c);
/// Returns the candidate that the tuner picks. Throws core::Error(kUnavailable) if a node with many
/// multiply-adds could only use the library's reference loops.
[[nodiscard]] Candidate choose_convolution(GraphLowering& lowering,
                                           const graph::Node& node,
                                           const Convolution& c);
/// The step of a candidate that is not a reorder.
[[nodiscard]] const Primitive& main_step(const Candidate& candidate);

}  // namespace dlbench::backend::cpu
