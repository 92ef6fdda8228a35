// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The spatial axes of 2D and 3D ops as (D, H, W), for backends that use one kernel for both.
#pragma once

#include "engine/core/shape.h"
#include "engine/graph/attributes.h"

#include <cstddef>
#include <cstdint>

namespace dlbench::graph {

/// Returns (D, H, W) of a shape (N, C, D, H, W), or of (N, C, H, W), whose depth is 1. Another rank
/// is a programmer error.
[[nodiscard]] Spatial spatial_extents(const core::Shape& shape);

/// Returns an attribute of an op as (D, H, W). For tensors of rank 5 it already is; for rank 4 it
/// begins with (H, W), and the missing depth becomes `fill`.
[[nodiscard]] Spatial spatial_attribute(const Spatial& attribute,
                                        std::size_t rank,
                                        std::int64_t fill);

}  // namespace dlbench::graph
