// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Dropout with the masks of core::sample_random_block.
#pragma once

#include "engine/backend/cpu/kernels/element.h"

#include <cstdint>

namespace dlbench::backend::cpu {

/// What determines the random numbers of one step.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
  std::int64_t first_sample = 0;
  std::int32_t node = 0;
};

/// y = x / (1 - rate) where the uniform number of the element is >= rate, otherwise 0. x, y: plain
/// row-major, `samples` of `elements` each. The backward pass is the same with dy in place of x.
template <typename T>
void dropout(const DropoutKey& key,
             float rate,
             std::int64_t samples,
             std::int64_t elements,
             const T* x,
             T* y);

}  // namespace dlbench::backend::cpu
