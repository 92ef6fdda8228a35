// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides which values have padding lanes: a convolution of 16-bit floats over the three channels
// of an image becomes one over eight channels of which five are zero. Decided only here, on the
// graph, before it is lowered.
#pragma once

#include "engine/backend/cuda/kernels/channels_last.h"
#include "engine/backend/fusion.h"
#include "engine/graph/graph.h"

#include <vector>

namespace dlbench::backend::cuda {

/// 16 bytes of 16-bit floats: the unit that tensor cores read.
inline constexpr Index kChannelMultiple = 8;

/// The channels of a family of values are padded to a multiple of 8. A family consists of
///   x   a 16-bit copy, made by a cast from f32 within the step, whose channels are not such a
///       multiple: the image, after its normalisation;
///   w   the weights that x is convolved with, 16-bit copies made by a cast from f32;
///   dw  the gradients of w, before a cast back to f32.
/// That is where it should pay (not yet shown on a GPU): for three channels in bf16, cuDNN's
/// preferred plans need workspace for a copy of x with eight channels, in each direction; for one
/// channel, its forward plan does not use tensor cores (docs/evidence/cuda.md). Here the casts,
/// which write all of x and w anyway, write the zeros too. The cost is memory for x's padding
/// lanes.
///
/// A family is padded as a whole or not at all, and only if nothing else can see the lanes:
///   - every reader of x and of w is the forward pass or the weight gradient of a convolution of
///     one group over x (a data gradient would produce a padded dx, which others read);
///   - every reader of dw is a cast to f32;
///   - none of the values is an output, kept, or state, so that it is never exported, reduced
///     between ranks or updated.
/// Not padded are f32 and tf32, whose weights are the parameters themselves (their layout concerns
/// state, optimizer and ranks), and results, such as the one channel of a head, because every
/// reader of an activation would have to handle the lanes.
///
/// The casts write zeros to the lanes of x and w in every step, because the memory is reused. The
/// lanes of dw are sums of products with those zeros, NaN if dy is not finite; its cast does not
/// read them. The graph's FLOPs and bytes do not include any of this.
class ChannelPadding {
 public:
  /// Pads nothing.
  ChannelPadding() = default;
  ChannelPadding(const graph::Graph& graph, const Fusion& fusion);

  [[nodiscard]] bool padded(graph::ValueId value) const;
  /// The memory layout of a value; for an input that of its channels-last copy.
  [[nodiscard]] ChannelsLast layout(const graph::Value& value) const;

 private:
  std::vector<bool> padded_;
};

}  // namespace dlbench::backend::cuda
