// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A report as text for people: the ten lines that end every run, and the longer tables of
// `dlbench report show`. No colours, plain enough to be pasted into a ticket.
#pragma once

#include "reports/record.h"

#include <cstddef>
#include <string>

namespace dlbench::reports {

/// Ten lines for the three usual trials, one more for each further arm: workload and device, data,
/// a throughput with its interval per trial, verdict with margin, explanation, the best advice,
/// taints, and where the report is. For `train`: epochs, last and best values instead of trials.
/// For `scale`: scaling_text() instead of trials and verdict. `path`: where the report was written
/// ("-" for the standard output).
[[nodiscard]] std::string summary_text(const RunRecord& record, const std::string& path);

/// Per series of scaling[] a table of its points with every trial's rate, one of what communication
/// costs, network, projection and bucket caps where there are such, and the verdict of the largest
/// size; variants of a sweep side by side at the end. Empty without series.
[[nodiscard]] std::string scaling_text(const RunRecord& record);

/// One line per collective and size, with the columns of nccl-tests. Empty without collectives.
[[nodiscard]] std::string collectives_text(const RunRecord& record);

/// Tables: trials, their ranks where there are several, their GPU, phases (calls, total, per call,
/// %), loader stages, operators against peaks (the longest `operator_rows`), kernels of the GPU,
/// scaling, collectives, history, job, advice, taints with their meaning, and what was skipped.
/// Only those that the report has something for.
[[nodiscard]] std::string tables_text(const RunRecord& record, std::size_t operator_rows = 20);

}  // namespace dlbench::reports
