// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the probes of a GPU measured in each trial. Values of a wrong type count as missing.
#pragma once

#include "reports/record.h"

#include <cstddef>
#include <string>

namespace dlbench::reports {

/// Three tables with a line for each trial: power, clock, temperature and memory as `nvml` saw
/// them; where the time of the GPU went as `cupti` saw it; and what `cupti_counters` (shares
/// without it: `cupti_sampling`) and `nvml_pcie` counted. Empty where no trial has such values.
[[nodiscard]] std::string gpu_text(const RunRecord& record);

/// The longest `rows` kernels of one trial: of `full`, else of the last one that trains. Empty
/// where `cupti` recorded none.
[[nodiscard]] std::string kernels_text(const RunRecord& record, std::size_t rows = 10);

}  // namespace dlbench::reports
