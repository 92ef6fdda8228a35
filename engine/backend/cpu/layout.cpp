// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/layout.h"

#include "engine/core/error.h"

#include <cstring>

namespace dlbench::backend::cpu {

void refuse_dtype(core::DType dtype) {
  throw core::Error(core::ErrorCode::kUnavailable,
                    "the cpu backend computes in f32 and bf16, not in " +
                        std::string(core::name(dtype)) +
                        "; choose the ref backend (--device ref, for verify --backend ref)");
}

std::string layout_name(const core::Shape& shape, Layout layout) {
  const std::string depth = shape.rank() == 5 ? "d" : "";
  if (shape.rank() != 4 && shape.rank() != 5) {
    return "plain";
  }
  if (layout.block == 1) {
    return "nc" + depth + "hw";
  }
  return "nC" + depth + "hw" + std::to_string(layout.block) + "c";
}

Geometry geometry_of(const core::Shape& shape, Layout layout) {
  if (shape.rank() < 2) {
    return {.batch = 1, .channels = 1, .spatial = shape.elements(), .block = 1};
  }
  std::int64_t spatial = 1;
  for (std::size_t axis = 2; axis < shape.rank(); ++axis) {
    spatial *= shape[axis];
  }
  return {.batch = shape[0], .channels = shape[1], .spatial = spatial, .block = layout.block};
}

std::size_t physical_bytes(const core::Shape& shape, core::DType dtype, Layout layout) {
  return static_cast<std::size_t>(geometry_of(shape, layout).elements()) * core::size_of(dtype);
}

Extents extents_of(const graph::Spatial& spatial) { return {spatial[0], spatial[1], spatial[2]}; }

void export_tensor(const std::byte* physical,
                   Layout layout,
                   std::int64_t sample_stride,
                   core::HostTensor& logical) {
  const Geometry g = geometry_of(logical.shape(), layout);
  const std::size_t size = core::size_of(logical.dtype());
  std::byte* to = logical.data();
  for (std::int64_t n = 0; n < g.batch; ++n) {
    for (std::int64_t c = 0; c < g.channels; ++c) {
      const std::int64_t row = n * sample_stride + c / g.block * g.row() + c % g.block;
      for (std::int64_t position = 0; position < g.spatial; ++position, to += size) {
        std::memcpy(to, physical + static_cast<std::size_t>(row + position * g.block) * size, size);
      }
    }
  }
}

}  // namespace dlbench::backend::cpu
