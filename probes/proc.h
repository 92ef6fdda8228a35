// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the probe "proc" reports of a window.
#pragma once

#include "probes/node/disturbance.h"

#include <optional>
#include <vector>

namespace dlbench::probes {

/// One number per value of the probe's spec, in its order; empty where the system does not tell.
[[nodiscard]] std::vector<std::optional<double>> proc_values(const Disturbance& seen);

}  // namespace dlbench::probes
