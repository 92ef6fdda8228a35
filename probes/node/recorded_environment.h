// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which variables of the environment a report has. A pure function of all of them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::probes {

/// Those of `all` that change what is measured: a list of names (threads, placement, library
/// tuning), and of the families NCCL_, CUDA_MPS_, FI_ and UCX_ all but names of secrets and of
/// files for debug output. Sorted by name. Of a path, which may name a person, the value has the
/// last part alone.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> recorded_environment(
    const std::map<std::string, std::string>& all);

}  // namespace dlbench::probes
