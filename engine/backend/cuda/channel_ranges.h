// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides which values have no memory of their own but are read as a range of the channels of
// another value. Decided only here, on the graph, before it is lowered.
#pragma once

#include "engine/backend/cuda/channel_padding.h"
#include "engine/backend/cuda/kernels/channels_last.h"
#include "engine/backend/fusion.h"
#include "engine/graph/graph.h"

#include <optional>
#include <vector>

namespace dlbench::backend::cuda {

struct ChannelRange {
  graph::ValueId holder = graph::kNoValue;
  Index begin = 0;
};

/// Slices, such as the gradients of the parts of a concatenation, are ranges if
///   - each reader is the gradient of an upsampling, or a sum (fusion.h) outside of other groups:
///     their kernels support positions that are further apart than their channels need;
///   - they begin and end at multiples of 16 bytes, and so does each position of the wider value
///     (the holder), which neither has padding lanes nor is a range itself;
///   - they need not exist after the step, and the holder is not an input.
class ChannelRanges {
 public:
  ChannelRanges(const graph::Graph& graph, const Fusion& fusion, const ChannelPadding& padding);

  [[nodiscard]] const std::optional<ChannelRange>& of(graph::ValueId value) const {
    return ranges_.at(static_cast<std::size_t>(value));
  }
  /// Whether channels [begin, begin + extent) of a value can be read or written with wide accesses.
  [[nodiscard]] static bool is_wide(const graph::Value& holder, Index begin, Index extent);

 private:
  std::vector<std::optional<ChannelRange>> ranges_;
};

}  // namespace dlbench::backend::cuda
