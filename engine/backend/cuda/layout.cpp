// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/layout.h"

#include "engine/core/dtype.h"
#include "engine/core/round_up.h"

#include <cstring>

namespace dlbench::backend::cuda {
namespace {

/// Swaps the last two of three axes: (batch, rows, columns) -> (batch, columns, rows).
void transpose(const std::byte* from,
               std::byte* to,
               Index batch,
               Index rows,
               Index columns,
               std::size_t element) {
  for (Index n = 0; n < batch; ++n) {
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < columns; ++c) {
        const auto source = static_cast<std::size_t>((n * rows + r) * columns + c);
        const auto target = static_cast<std::size_t>((n * columns + c) * rows + r);
        std::memcpy(to + target * element, from + source * element, element);
      }
    }
  }
}

void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0) {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

ChannelsLast channels_last(const core::Shape& shape, Index channel_multiple) {
  if (shape.rank() < 2) {
    return {.channels = shape.elements(), .stride = shape.elements()};
  }
  const Index plane = shape[0] * shape[1];
  return {.batch = shape[0],
          .spatial = plane == 0 ? 0 : shape.elements() / plane,
          .channels = shape[1],
          .stride = core::round_up(shape[1], channel_multiple)};
}

ChannelsLast row_major(const core::Shape& shape) {
  return {.batch = 1, .spatial = shape.elements(), .channels = 1, .stride = 1};
}

bool lies_channels_last(const graph::Value& value) {
  return (value.shape.rank() == 4 || value.shape.rank() == 5) &&
         value.storage != graph::Storage::kInput;
}

std::string layout_name(const graph::Value& value) {
  return !lies_channels_last(value) ? "plain" : value.shape.rank() == 4 ? "nhwc" : "ndhwc";
}

void to_physical(const graph::Value& value, const core::HostTensor& logical, std::byte* physical) {
  if (!lies_channels_last(value)) {
    return copy(physical, logical.data(), logical.bytes());
  }
  const ChannelsLast layout = channels_last(value.shape);
  transpose(logical.data(),
            physical,
            layout.batch,
            layout.channels,
            layout.spatial,
            core::size_of(value.dtype));
}

void to_logical(const graph::Value& value, const std::byte* physical, core::HostTensor& logical) {
  if (!lies_channels_last(value)) {
    return copy(logical.data(), physical, logical.bytes());
  }
  const ChannelsLast layout = channels_last(value.shape);
  transpose(physical,
            logical.data(),
            layout.batch,
            layout.spatial,
            layout.channels,
            core::size_of(value.dtype));
}

}  // namespace dlbench::backend::cuda
