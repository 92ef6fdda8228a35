// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/spatial.h"

#include "engine/core/check.h"

namespace dlbench::graph {
namespace {

/// The number of axes of (D, H, W) that a tensor of this rank lacks.
std::size_t missing_axes(std::size_t rank) {
  DLBENCH_CHECK(rank == 4 || rank == 5) << "rank " << rank;
  return 5 - rank;
}

}  // namespace

Spatial spatial_extents(const core::Shape& shape) {
  const std::size_t first = missing_axes(shape.rank());
  Spatial extents{1, 1, 1};
  for (std::size_t axis = 2; axis < shape.rank(); ++axis) {
    extents[first + axis - 2] = shape[axis];
  }
  return extents;
}

Spatial spatial_attribute(const Spatial& attribute, std::size_t rank, std::int64_t fill) {
  const std::size_t first = missing_axes(rank);
  Spatial result{fill, fill, fill};
  for (std::size_t axis = first; axis < 3; ++axis) {
    result[axis] = attribute[axis - first];
  }
  return result;
}

}  // namespace dlbench::graph
