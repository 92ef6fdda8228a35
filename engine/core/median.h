// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The median used for decisions. The statistics in reports are those of reports/statistics.h.
#pragma once

#include "engine/core/check.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dlbench::core {

/// The median of at least one value; the upper of the two middle ones for an even number.
[[nodiscard]] inline double median(std::vector<double> values) {
  DLBENCH_CHECK(!values.empty()) << "the median of nothing";
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace dlbench::core
