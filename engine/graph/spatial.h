// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The spatial axes of 2D and 3D ops as (D, H, W), for backends that compute both with one kernel.
#pragma once

#include "engine/core/shape.h"
#include "engine/graph/attributes.h"

#include <cstddef>
#include <cstdint>

namespace dlbench::graph {

/// (D, H, W) of a shape (N, C, H, W), whose depth is 1, or (N, C, D, H, W). A shape of another rank
/// is a programmer error.
[[nodiscard]] Spatial spatial_extents(const core::Shape& shape);

/// (D, H, W) of an attribute of an op on tensors of rank 4, which has its (H, W) first, or 5.
/// `fill`: of the depth that a tensor of rank 4 does not have.
[[nodiscard]] Spatial spatial_attribute(const Spatial& attribute,
                                        std::size_t rank,
                                        std::int64_t fill);

}  // namespace dlbench::graph
