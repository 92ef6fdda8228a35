// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A small, complete and valid report for the tests of this folder: every optional member is set at
// least once, and its arithmetic holds.
#pragma once

#include "reports/record.h"

#include <optional>
#include <string>
#include <vector>

namespace dlbench::reports {

/// A run of 2 cores: io 20, synthetic 5, full 4.4 samples/s, three repetitions of 4 steps of 2; and
/// the full trial of one rank of the weak series, 10 samples/s.
[[nodiscard]] RunRecord sample_record();

/// A weak series over 1, 2 and 4 ranks with everything set, and a strong one over 1 and 2.
[[nodiscard]] std::vector<ScalingRecord> sample_scaling();

/// An all-reduce and a broadcast over 2 ranks.
[[nodiscard]] std::vector<CollectiveRecord> sample_collectives();

/// The statistics of these rates: one or more.
[[nodiscard]] RateSummary sample_summary(std::vector<double> rates);

/// One trial of the sample: `rates` are samples/s of its repetitions.
[[nodiscard]] TrialRecord sample_trial(TrialKind kind,
                                       std::optional<std::string> variant,
                                       const std::vector<double>& rates);

}  // namespace dlbench::reports
