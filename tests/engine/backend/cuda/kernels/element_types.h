// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/cuda/kernels/element.h"

#include <type_traits>

namespace dlbench::backend::cuda {

/// The dtype whose elements are of type T: float, F16 or BF16.
template <typename T>
[[nodiscard]] constexpr core::DType dtype_of() {
  return std::is_same_v<T, float> ? core::DType::kF32
         : std::is_same_v<T, F16> ? core::DType::kF16
                                  : core::DType::kBF16;
}

}  // namespace dlbench::backend::cuda
