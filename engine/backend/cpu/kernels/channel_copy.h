// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of channel ranges that do not begin or end at block bounds, so that rows cannot be copied
// whole.
#pragma once

#include "engine/backend/cpu/kernels/element.h"

#include <cstdint>

namespace dlbench::backend::cpu {

/// y[n, y_begin + c, s] = x[n, x_begin + c, s] for c in [0, count). Both have the same block size
/// and the same extents except for channels. T: float or Bf16.
template <typename T>
void copy_channels(const Geometry& x_geometry,
                   std::int64_t x_begin,
                   Rows<const T> x,
                   const Geometry& y_geometry,
                   std::int64_t y_begin,
                   Rows<T> y,
                   std::int64_t count);

/// Copies a tensor to another block size; lanes without a channel become 0. For small saved values.
void relayout(const Geometry& x_geometry,
              const std::uint8_t* x,
              const Geometry& y_geometry,
              std::uint8_t* y);

/// Convolution weights for backward data as a forward pass: y[c, k, t] = x[k, c, taps - 1 - t].
void transpose_weights(std::int64_t k, std::int64_t c, std::int64_t taps, const float* x, float* y);

/// Sets channels [begin, end) to zero. end may include all lanes of the last block.
template <typename T>
void clear_channels(const Geometry& g, std::int64_t begin, std::int64_t end, Rows<T> x);

/// Sets the lanes of channels that do not exist to zero.
template <typename T>
void clear_padding(const Geometry& g, Rows<T> x) {
  clear_channels<T>(g, g.channels, g.blocks() * g.block, x);
}

}  // namespace dlbench::backend::cpu
