// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory layouts of tensors on this backend.
#pragma once

#include "engine/backend/cpu/kernels/element.h"
#include "engine/core/dtype.h"
#include "engine/core/host_tensor.h"
#include "engine/core/shape.h"
#include "engine/graph/attributes.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace dlbench::backend::cpu {

/// block 1: plain row-major order. block 8 or 16: axis 1 is split into blocks of that many
/// channels, which are the innermost axis ("nChw16c"); channels are padded with zeros to a
/// multiple.
struct Layout {
  std::int64_t block = 1;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Throws core::Error(kUnavailable): this backend only computes in f32 and bf16.
[[noreturn]] void refuse_dtype(core::DType dtype);

/// "nchw", "nChw16c", "ncdhw", "nCdhw16c"; "plain" for other ranks.
[[nodiscard]] std::string layout_name(const core::Shape& shape, Layout layout);

/// The geometry of a tensor. Ranks below 3 are (N, C) with one position, or a single row.
[[nodiscard]] Geometry geometry_of(const core::Shape& shape, Layout layout);

/// The size in memory in bytes, padding included.
[[nodiscard]] std::size_t physical_bytes(const core::Shape& shape,
                                         core::DType dtype,
                                         Layout layout);

/// Converts (D, H, W) to the type that kernels take.
[[nodiscard]] Extents extents_of(const graph::Spatial& spatial);

/// Copies physical content to a row-major tensor of the same dtype. sample_stride in elements.
void export_tensor(const std::byte* physical,
                   Layout layout,
                   std::int64_t sample_stride,
                   core::HostTensor& logical);

}  // namespace dlbench::backend::cpu
