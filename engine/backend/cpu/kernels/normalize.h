// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Raw images to network input.
#pragma once

#include "engine/backend/cpu/kernels/element.h"

#include <cstdint>

namespace dlbench::backend::cpu {

/// y[n, c, s] = x[n, s, c] * scale[c] + shift[c]. x: u8 (N, spatial, C); y: f32 in the geometry's
/// layout.
void normalize(const Geometry& g,
               const std::uint8_t* x,
               const float* scale,
               const float* shift,
               Rows<float> y);

}  // namespace dlbench::backend::cpu
