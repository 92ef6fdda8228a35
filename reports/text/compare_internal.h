// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What two reports say of their runs, beside what was measured. For the sources of compare.h alone.
#pragma once

#include "reports/text/compare.h"

#include <string>
#include <vector>

namespace dlbench::reports {

/// "complete", "failed (exit code 5)", "partial" of a run that still goes on; "complete (exit code
/// 3)": a gate failed.
[[nodiscard]] std::string status_text(const RunInfoRecord& run);

/// "run", "comm": the command of dlbench that wrote the report; empty: the record does not say.
[[nodiscard]] std::string command_of(const RunInfoRecord& run);

/// Facts in which they differ and that may explain a change of speed, by name.
[[nodiscard]] std::vector<Difference> differences_of(const RunRecord& baseline,
                                                     const RunRecord& candidate);

}  // namespace dlbench::reports
