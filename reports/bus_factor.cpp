// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/bus_factor.h"

#include "engine/core/check.h"

namespace dlbench::reports {

std::optional<double> bus_factor(std::string_view op, std::int64_t ranks) {
  DLBENCH_CHECK(ranks >= 1) << ranks << " ranks";
  // Each rank owns 1 / n of the array; the other n - 1 parts cross its link once per pass.
  const double crossing = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  if (op == "all_reduce") {
    return 2.0 * crossing;  // a reduce-scatter and an all-gather
  }
  if (op == "reduce_scatter" || op == "all_gather") {
    return crossing;
  }
  if (op == "broadcast") {
    return 1.0;
  }
  return std::nullopt;
}

}  // namespace dlbench::reports
