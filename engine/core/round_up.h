// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes in whole units: pages, cache lines, alignments.
#pragma once

#include "engine/core/host_device.h"

#include <concepts>

namespace dlbench::core {

/// The number of units of `unit` > 0 needed to hold `size` >= 0.
template <std::integral Integer>
[[nodiscard]] DLBENCH_HOST_DEVICE constexpr Integer ceil_divide(Integer size, Integer unit) {
  return (size + unit - 1) / unit;
}

/// The smallest multiple of `unit` > 0 that is at least `size` >= 0.
template <std::integral Integer>
[[nodiscard]] DLBENCH_HOST_DEVICE constexpr Integer round_up(Integer size, Integer unit) {
  return ceil_divide(size, unit) * unit;
}

}  // namespace dlbench::core
