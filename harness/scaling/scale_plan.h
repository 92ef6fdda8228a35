// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What `dlbench scale` measures: series (weak, strong, variants of a sweep) over numbers of ranks.
// Names and numbers only; scale_run.h measures them.
#pragma once

#include "engine/comm/rendezvous.h"
#include "harness/session/session_options.h"
#include "harness/trials/trial_id.h"
#include "reports/record.h"
#include "reports/value.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// One series of the report.
struct ScaleSeries {
  std::string mode;  ///< weak: batch per rank fixed; strong: global batch fixed
  std::string sweep;
  std::string variant;
  reports::ValueMap options;  ///< what the variant sets
  SessionOptions session;     ///< with these set
};

/// "weak", "weak bucket-cap-mib=100": as TrialRecord::series.
[[nodiscard]] std::string series_name(const ScaleSeries& series);

/// One number of ranks of one series.
struct ScaleSize {
  std::size_t series = 0;
  int ranks = 1;
  SessionOptions session;

  [[nodiscard]] std::int64_t global_batch() const {
    return session.global_batch_size.value_or(session.batch_size.value_or(0) * ranks);
  }
};

/// The sizes of all series. Weak: `session.batch_size` samples per rank (default: the workload's).
/// Strong: the global batch, by default the batch per rank x the largest number of ranks.
/// Throws core::Error(kUsage) for a global batch with less than one sample for each rank.
[[nodiscard]] std::vector<ScaleSize> plan_sizes(const std::vector<ScaleSeries>& series,
                                                const std::vector<int>& ranks);

/// "strong, 4 ranks".
[[nodiscard]] std::string size_name(const ScaleSeries& series, int ranks);

/// Throws core::Error(kUsage) where `samples` of `source` are less than the global batch of any
/// size; the line is of the size that needs most. A session refuses its own batch before.
void check_samples(const std::vector<ScaleSeries>& series,
                   const std::vector<ScaleSize>& sizes,
                   std::int64_t samples,
                   const std::string& source);

/// Does `open` on all ranks. A strong size whose part of the batch does not fit into memory is left
/// out: returns why; empty if it is not. Throws core::Error as `open` does, with the size's name
/// where memory is short. Collective.
[[nodiscard]] std::string open_or_leave_out(const ScaleSeries& series,
                                            int ranks,
                                            comm::Rendezvous& launch,
                                            const std::function<void()>& open);

/// Throws core::Error(kMemory) with the reason of the last one left out where a series has no size.
void check_left_out(const std::vector<ScaleSeries>& series,
                    const std::vector<ScaleSize>& sizes,
                    const std::vector<reports::SkipRecord>& left_out);

/// The trials of `wanted` that `ranks` ranks can do, see why_impossible().
[[nodiscard]] std::vector<TrialId> trials_at(const std::vector<TrialId>& wanted, int ranks);

/// The trials of `wanted` that some size of `planned` can do and none of `kept`.
[[nodiscard]] std::vector<reports::SkipRecord> trials_left_out(
    const std::vector<TrialId>& wanted,
    const std::vector<ScaleSize>& planned,
    const std::vector<ScaleSize>& kept);

/// The trials of `wanted` that no size of `ranks` can do, with reasons. Throws core::Error(kUsage)
/// for a size that can do none of them.
[[nodiscard]] std::vector<reports::SkipRecord> impossible_trials(const std::vector<TrialId>& wanted,
                                                                 const std::vector<int>& ranks);

}  // namespace dlbench::harness
