// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The job record in the format that Slurm users know from seff.
#pragma once

#include "reports/record.h"

#include <cstddef>
#include <string>

namespace dlbench::reports {

/// Returns the lines of seff (job id, state, nodes, cores, CPU time and efficiency, wall time,
/// memory and efficiency), and a table of the ranks if there are several. Lines with unknown
/// numbers are left out. Empty without a job record.
[[nodiscard]] std::string job_text(const RunRecord& record, std::size_t indent = 2);

}  // namespace dlbench::reports
