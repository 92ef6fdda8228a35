// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What GPU probes measured in each trial. Values of a wrong type count as missing.
#pragma once

#include "reports/record.h"

#include <cstddef>
#include <string>

namespace dlbench::reports {

/// Returns three tables with a line per trial: power, clock, temperature and memory from `nvml`;
/// how the GPU spent its time from `cupti`; and the counters of `cupti_counters` (without it,
/// shares from `cupti_sampling`) and `nvml_pcie`. Empty if no trial has such values.
[[nodiscard]] std::string gpu_text(const RunRecord& record);

/// Returns the longest `rows` kernels of one trial: of `full`, else of the last one that trains.
/// Empty if `cupti` recorded none.
[[nodiscard]] std::string kernels_text(const RunRecord& record, std::size_t rows = 10);

}  // namespace dlbench::reports
