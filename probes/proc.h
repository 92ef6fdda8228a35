// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The values that the probe "proc" reports for a window.
#pragma once

#include "probes/node/disturbance.h"

#include <optional>
#include <vector>

namespace dlbench::probes {

/// Returns one number per value of the probe's spec, in its order; nothing where unavailable.
[[nodiscard]] std::vector<std::optional<double>> proc_values(const Disturbance& seen);

}  // namespace dlbench::probes
