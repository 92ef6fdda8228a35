// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Differences between two runs besides the measurements. For the sources of compare.h only.
#pragma once

#include "reports/text/compare.h"

#include <span>
#include <string>
#include <vector>

namespace dlbench::reports {

/// Returns "complete", "failed (exit code 5)", "partial" for a run in progress, or "complete (exit
/// code 3)" if a gate failed.
[[nodiscard]] std::string status_text(const RunInfoRecord& run);

/// Returns the dlbench command that wrote the report: "run", "comm"; empty: not in the record.
[[nodiscard]] std::string command_of(const RunInfoRecord& run);

/// Returns the facts that differ and may explain a change of speed, by name; also those that differ
/// among the reports of one side.
[[nodiscard]] std::vector<Difference> differences_of(std::span<const RunRecord> baselines,
                                                     std::span<const RunRecord> candidates);

}  // namespace dlbench::reports
