// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel.h"

#include "engine/core/check.h"

namespace dlbench::backend::ref {

graph::Spatial spatial_extents(const core::Shape& shape) {
  DLBENCH_CHECK(shape.rank() == 4 || shape.rank() == 5) << "rank " << shape.rank();
  graph::Spatial extents{1, 1, 1};
  const std::size_t first = 5 - shape.rank();
  for (std::size_t axis = 2; axis < shape.rank(); ++axis) {
    extents[first + axis - 2] = shape[axis];
  }
  return extents;
}

graph::Spatial spatial_attribute(const graph::Spatial& attribute,
                                 std::size_t rank,
                                 std::int64_t fill) {
  graph::Spatial result{fill, fill, fill};
  const std::size_t first = 5 - rank;
  for (std::size_t axis = first; axis < 3; ++axis) {
    result[axis] = attribute[axis - first];
  }
  return result;
}

}  // namespace dlbench::backend::ref
