// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Max pooling and nearest upsampling over rows. T: float or Bf16.
#pragma once

#include "engine/backend/cpu/kernels/element.h"

#include <cstdint>

namespace dlbench::backend::cpu {

/// A pooling window. The geometry passed with it is that of x; y has the same number of channels.
struct PoolWindow {
  Extents input;
  Extents output;
  Extents kernel;
  Extents stride;
};

/// Computes y and the position of each maximum in its window (row-major; the first on ties).
template <typename T>
void max_pool(const Geometry& x_geometry,
              const PoolWindow& window,
              Rows<const T> x,
              Rows<T> y,
              Rows<std::uint8_t> argmax);
/// dx = dy at the saved position, otherwise 0; contributions of overlapping windows are added.
template <typename T>
void max_pool_backward(const Geometry& x_geometry,
                       const PoolWindow& window,
                       Rows<const T> dy,
                       Rows<const std::uint8_t> argmax,
                       Rows<T> dx);

/// y[o] = x[o / factor]. The geometry and `input` are those of x.
template <typename T>
void upsample(const Geometry& x_geometry,
              const Extents& input,
              const Extents& factor,
              Rows<const T> x,
              Rows<T> y);
/// dx[i] = sum of dy over the outputs that copied i.
template <typename T>
void upsample_backward(const Geometry& x_geometry,
                       const Extents& input,
                       const Extents& factor,
                       Rows<const T> dy,
                       Rows<T> dx);

}  // namespace dlbench::backend::cpu
