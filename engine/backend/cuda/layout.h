// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The one physical layout of this backend: tensors of rank 4 and 5 (N, C, spatial...) lie in memory
// as (N, spatial..., C), others row-major. Weights (K, C, kernel...) likewise. Inputs of the
// network alone lie as the caller binds them: in logical order. Channels are dense but for what
// channel_padding.h says.
#pragma once

#include "engine/backend/cuda/kernels/channels_last.h"
#include "engine/core/host_tensor.h"
#include "engine/core/shape.h"
#include "engine/graph/graph.h"

#include <cstddef>
#include <string>

namespace dlbench::backend::cuda {

/// Channels padded to a multiple of `channel_multiple`; 1: dense, no padding lanes. Rank 0 and 1:
/// one sample of as many channels, dense.
[[nodiscard]] ChannelsLast channels_last(const core::Shape& shape, Index channel_multiple = 1);
/// The same tensor in row-major order, as far as kernels are concerned: one channel.
[[nodiscard]] ChannelsLast row_major(const core::Shape& shape);

/// Whether a value lies channels-last: rank 4 or 5 and no input.
[[nodiscard]] bool lies_channels_last(const graph::Value& value);

/// "nhwc", "ndhwc" or "plain", of a dense value: for reports.
[[nodiscard]] std::string layout_name(const graph::Value& value);

/// Copies between logical row-major order and the physical one, dense; same dtype, host memory.
void to_physical(const graph::Value& value, const core::HostTensor& logical, std::byte* physical);
void to_logical(const graph::Value& value, const std::byte* physical, core::HostTensor& logical);

}  // namespace dlbench::backend::cuda
