// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The physical layout of this backend: tensors of rank 4 and 5 (N, C, spatial...) are stored as
// (N, spatial..., C), others row-major; weights (K, C, kernel...) likewise. Only inputs of the
// network are in logical order, as the caller binds them. Channels are dense except where
// channel_padding.h adds lanes.
#pragma once

#include "engine/backend/cuda/kernels/channels_last.h"
#include "engine/core/host_tensor.h"
#include "engine/core/shape.h"
#include "engine/graph/graph.h"

#include <cstddef>
#include <string>

namespace dlbench::backend::cuda {

/// The layout with channels padded to a multiple of `channel_multiple`; 1: dense, no padding lanes.
/// Ranks 0 and 1 are one sample with as many channels as elements, dense.
[[nodiscard]] ChannelsLast channels_last(const core::Shape& shape, Index channel_multiple = 1);
/// The layout of a row-major tensor, which for kernels has one channel.
[[nodiscard]] ChannelsLast row_major(const core::Shape& shape);

/// Whether a value is stored channels-last: rank 4 or 5, and not an input.
[[nodiscard]] bool lies_channels_last(const graph::Value& value);

/// "nhwc", "ndhwc" or "plain" for a dense value, for reports.
[[nodiscard]] std::string layout_name(const graph::Value& value);

/// Copy between logical row-major order and the dense physical order; same dtype, host memory.
void to_physical(const graph::Value& value, const core::HostTensor& logical, std::byte* physical);
void to_logical(const graph::Value& value, const std::byte* physical, core::HostTensor& logical);

}  // namespace dlbench::backend::cuda
