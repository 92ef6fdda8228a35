// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What two reports say of their runs, beside what was measured. For the sources of compare.h alone.
#pragma once

#include "reports/text/compare.h"

#include <string>
#include <vector>

namespace dlbench::reports {

/// "complete", "failed (exit code 5)", "partial" of a run that still goes on.
[[nodiscard]] std::string status_text(const RunInfoRecord& run);

/// "run", "comm": the command of dlbench that wrote the report; empty: the record does not say.
[[nodiscard]] std::string command_of(const RunInfoRecord& run);

/// Whether the candidate was told not to measure `missing`, an arm or collective of the baseline:
/// of an option that is a list, or one value, it lacks something that the baseline was given. A
/// trial that it was told to measure, on as many ranks, is no less because another one is not asked
/// for.
[[nodiscard]] bool asked_without(const std::string& missing,
                                 const RunRecord& baseline,
                                 const RunRecord& candidate);

/// Facts in which they differ and that may explain a change of speed, by name.
[[nodiscard]] std::vector<Difference> differences_of(const RunRecord& baseline,
                                                     const RunRecord& candidate);

}  // namespace dlbench::reports
