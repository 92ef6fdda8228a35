// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Selects the environment variables for a report: a pure function of all variables.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::probes {

/// Returns the variables in `all` that affect the measurement: listed names (threads, placement,
/// library tuning), and those of the families NCCL_, CUDA_MPS_, FI_ and UCX_ except names of
/// secrets and of debug output files. Sorted by name. Of a path, which may contain a person's name,
/// only the last part is kept.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> recorded_environment(
    const std::map<std::string, std::string>& all);

}  // namespace dlbench::probes
