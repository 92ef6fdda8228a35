// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A report as text for people: the ten lines that end every run, and the longer tables of `dlbench
// report show`. No colours, plain enough for a ticket.
#pragma once

#include "reports/record.h"

#include <cstddef>
#include <string>

namespace dlbench::reports {

/// Returns ten lines for the three usual trials and one per further arm: workload and device, data,
/// a throughput with its interval per trial, verdict with margin, explanation, the best advice,
/// taints, and where the report is. For `train`: epochs, last and best values instead of trials.
/// For `scale`: scaling_text() instead of trials and verdict. `path` is where the report was
/// written ("-": standard output).
[[nodiscard]] std::string summary_text(const RunRecord& record, const std::string& path);

/// Returns per series of scaling[] a table of its points with every trial's rate, one of the costs
/// of communication, network, projection and bucket caps if available, and the verdict of the
/// largest size; at the end variants of a sweep side by side. Empty without series.
[[nodiscard]] std::string scaling_text(const RunRecord& record);

/// Returns a line per collective and size, with nccl-tests' columns. Empty without collectives.
[[nodiscard]] std::string collectives_text(const RunRecord& record);

/// Returns tables of trials, their ranks if several, their GPU, phases (calls, total, per call, %),
/// loader stages, operators against peaks (the longest `operator_rows`), GPU kernels, scaling,
/// collectives, history, job, advice, taints with their meaning, and skipped parts; only those with
/// content.
[[nodiscard]] std::string tables_text(const RunRecord& record, std::size_t operator_rows = 20);

}  // namespace dlbench::reports
