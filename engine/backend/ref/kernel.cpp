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

void sum_per_channel(const Call& call, const Tensor& x, const Tensor& sum) {
  const Planes planes(x.shape);
  parallel_for(call, x.dtype, planes.channels, [&](auto type, Index channel) {
    using T = decltype(type);
    double total = 0;
    for (Index n = 0; n < planes.batch; ++n) {
      const T* plane = x.as<T>() + (n * planes.channels + channel) * planes.elements;
      for (Index i = 0; i < planes.elements; ++i) {
        total += load(plane[i]);
      }
    }
    sum.write(channel, total);
  });
}

}  // namespace dlbench::backend::ref
