// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which values have padding lanes: a convolution of 16-bit floats over the three channels of an
// image becomes one over eight of which five are zero. Decided here alone, on the graph, before
// anything is lowered.
#pragma once

#include "engine/backend/cuda/kernels/channels_last.h"
#include "engine/backend/fusion.h"
#include "engine/graph/graph.h"

#include <vector>

namespace dlbench::backend::cuda {

/// 16 bytes of a 16-bit float: the rows that tensor cores are fed with.
inline constexpr Index kChannelMultiple = 8;

/// The channels of a family of values are padded to a multiple of 8. A family is
///   x   a 16-bit copy, made by a cast from f32 within the step, whose channels are no such
///       multiple: the image, behind its normalisation;
///   w   the weights that x meets, 16-bit copies made by a cast from f32;
///   dw  the gradients of those, on their way to a cast back to f32.
/// That is where it should pay (no GPU has shown it yet): of three channels in bf16, the plans that
/// cuDNN puts first need workspace for a copy of x in eight, in each direction; of one channel, its
/// forward plan is none for tensor cores (docs/evidence/cuda.md). Here the casts, which write all
/// of x and w anyway, write the zeros too. It costs the memory of x's lanes during the step.
///
/// A family is padded as a whole or not at all; it is if nobody else can see the lanes:
///   - every reader of x and of w is the forward pass or the weight gradient of a convolution of
///     one group over x (a data gradient would make a padded dx, which others read);
///   - every reader of dw is a cast to f32;
///   - none of them is an output, kept, or state, and so never exported, reduced between ranks or
///     updated.
/// Not padded: f32 and tf32, whose weights are the parameters themselves (their layout is a matter
/// of state, optimizer and ranks); results, such as the one channel of a head, for every reader of
/// an activation would have to carry the lanes along.
///
/// The casts write zeros to the lanes of x and w in every step, for the memory is reused. The lanes
/// of dw are sums over products with those zeros, NaN where dy is not finite; its cast does not
/// read them. FLOPs and bytes of the graph do not know of any of this.
class ChannelPadding {
 public:
  /// Pads nothing.
  ChannelPadding() = default;
  ChannelPadding(const graph::Graph& graph, const Fusion& fusion);

  [[nodiscard]] bool padded(graph::ValueId value) const;
  /// Where the elements of a value lie; of an input, where those of its copy do.
  [[nodiscard]] ChannelsLast layout(const graph::Value& value) const;

 private:
  std::vector<bool> padded_;
};

}  // namespace dlbench::backend::cuda
