// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A report in the format of the benchy PyTorch benchmark: its JSON keys and its three summary
// lines, so that scripts that parse them keep working.
#pragma once

#include "reports/record.h"

#include <string>

namespace dlbench::reports {

/// Returns one line of JSON: "nranks" and, for each trial that ran, "IO", "SYNTHETIC", "FULL", each
/// with "rates" (per repetition a list of samples/s per step), "avg_iter_throughput" (their mean,
/// which is biased upward), "trial_throughput" (samples / time) and "trial_time" (s). Discarded
/// repetitions are left out. SYNTHETIC is synthetic/host if it ran, since benchy copies its cached
/// batch in each step; else synthetic/device.
[[nodiscard]] std::string benchy_json(const RunRecord& record);

/// Returns "BENCHY::SUMMARY::IO average trial throughput: 4.750 +/- 0.122" and so on: the mean over
/// repetitions and, as in benchy, the population standard deviation.
[[nodiscard]] std::string benchy_lines(const RunRecord& record);

/// Writes benchy_json() atomically. Throws Error(kFile), see atomic_file.h.
void write_benchy(const RunRecord& record, const std::string& path);

}  // namespace dlbench::reports
