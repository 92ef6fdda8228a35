// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A small, complete and valid report for the tests of this folder: every optional member is set at
// least once, and its arithmetic holds.
#pragma once

#include "reports/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::reports {

/// A run of 2 cores: io 20, synthetic 5, full 4.4 samples/s, three repetitions of 4 steps of 2; and
/// the series of add_sample_scaling(), whose trials come after these.
[[nodiscard]] RunRecord sample_record();

/// A weak series over 1, 2 and 4 ranks with everything set, and a strong one over 1 and 2. At each
/// point io, synthetic, synthetic/nocomm and full; on one rank io 40, synthetic 11, full 10.
void add_sample_scaling(RunRecord& record);

/// An all-reduce and a broadcast over 2 ranks.
[[nodiscard]] std::vector<CollectiveRecord> sample_collectives();

/// The statistics of these rates: one or more.
[[nodiscard]] RateSummary sample_summary(std::vector<double> rates);

struct SampleSize {
  std::int64_t ranks = 1;
  std::int64_t batch_size_per_rank = 2;
  std::int64_t global_batch_size = 2;
};

/// One trial of the sample: `rates` are samples/s of its repetitions.
[[nodiscard]] TrialRecord sample_trial(TrialKind kind,
                                       std::optional<std::string> variant,
                                       const std::vector<double>& rates,
                                       const SampleSize& size = {});

/// The verdict on these trials, on 2 cores that loader and step share.
[[nodiscard]] AttributionRecord sample_attribution(const TrialRecord& io,
                                                   const TrialRecord& synthetic,
                                                   const TrialRecord& full,
                                                   const TrialRecord* nocomm = nullptr);

}  // namespace dlbench::reports
