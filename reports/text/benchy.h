// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The view of a report that users of the benchy PyTorch benchmark know: its JSON keys and its three
// summary lines, so that scripts that parse them go on working.
#pragma once

#include "reports/record.h"

#include <string>

namespace dlbench::reports {

/// One line of JSON: "nranks" and, for each trial that ran, "IO", "SYNTHETIC", "FULL", each with
/// "rates" (per repetition a list of samples/s per step), "avg_iter_throughput" (their mean, which
/// is biased upward), "trial_throughput" (samples / time) and "trial_time" (s). Repetitions that
/// were discarded are left out. SYNTHETIC is synthetic/host where it ran: benchy's cached batch is
/// copied in each step; else synthetic/device.
[[nodiscard]] std::string benchy_json(const RunRecord& record);

/// "BENCHY::SUMMARY::IO average trial throughput: 4.750 +/- 0.122" and so on: the mean over
/// repetitions and, as benchy has it, the population standard deviation.
[[nodiscard]] std::string benchy_lines(const RunRecord& record);

/// Writes benchy_json atomically. Throws Error(kFile), see atomic_file.h.
void write_benchy(const RunRecord& record, const std::string& path);

}  // namespace dlbench::reports
