// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of a reduction: element by element over the memories of several ranks.
#pragma once

#include "engine/comm/communicator.h"
#include "engine/core/dtype.h"

#include <cstddef>
#include <span>

namespace dlbench::comm {

/// Combines `count` elements of all `sources`, in their order, and writes the result to all
/// `targets`. A target may be one of the sources; otherwise none may overlap. The fixed order makes
/// the result independent of who computes it. f16 and bf16 are combined in f32 and rounded once.
/// The maximum of a NaN and a number is NaN.
void reduce_elements(std::span<const std::byte* const> sources,
                     std::span<std::byte* const> targets,
                     std::size_t count,
                     core::DType dtype,
                     ReduceOp op);

/// The types that reduce_elements() supports.
[[nodiscard]] std::span<const core::DType> reducible_dtypes();
[[nodiscard]] bool can_reduce(core::DType dtype);

}  // namespace dlbench::comm
