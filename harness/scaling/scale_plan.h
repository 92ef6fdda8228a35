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
  SessionOptions session;     ///< including those options
};

/// Returns the name in TrialRecord::series: "weak", "weak bucket-cap-mib=100".
[[nodiscard]] std::string series_name(const ScaleSeries& series);

/// One number of ranks in one series.
struct ScaleSize {
  std::size_t series = 0;
  int ranks = 1;
  SessionOptions session;

  [[nodiscard]] std::int64_t global_batch() const {
    return session.global_batch_size.value_or(session.batch_size.value_or(0) * ranks);
  }
};

/// Returns the sizes of all series. Weak: `session.batch_size` samples per rank (default: the
/// workload's). Strong: the global batch, by default the batch per rank x the largest number of
/// ranks. Throws core::Error(kUsage) for a global batch with less than one sample per rank.
[[nodiscard]] std::vector<ScaleSize> plan_sizes(const std::vector<ScaleSeries>& series,
                                                const std::vector<int>& ranks);

/// Returns a name such as "strong, 4 ranks".
[[nodiscard]] std::string size_name(const ScaleSeries& series, int ranks);

/// Throws core::Error(kUsage) if `source` has fewer `samples` than the global batch of any size;
/// the message is about the size that needs most. A session has refused its own batch before.
void check_samples(const std::vector<ScaleSeries>& series,
                   const std::vector<ScaleSize>& sizes,
                   std::int64_t samples,
                   const std::string& source);

/// Calls `open` on all ranks. A strong size whose part of the batch does not fit into memory is
/// left out: returns the reason, else an empty text. Rethrows the core::Error of `open`, with the
/// size's name if memory is short. Collective.
[[nodiscard]] std::string open_or_leave_out(const ScaleSeries& series,
                                            int ranks,
                                            comm::Rendezvous& launch,
                                            const std::function<void()>& open);

/// Throws core::Error(kMemory) with the reason of the last size left out if a series has no size.
void check_left_out(const std::vector<ScaleSeries>& series,
                    const std::vector<ScaleSize>& sizes,
                    const std::vector<reports::SkipRecord>& left_out);

/// Returns the trials of `wanted` that are possible on `ranks` ranks, see why_impossible().
[[nodiscard]] std::vector<TrialId> trials_at(const std::vector<TrialId>& wanted, int ranks);

/// Returns the trials of `wanted` that are possible at some size of `planned` but none of `kept`.
[[nodiscard]] std::vector<reports::SkipRecord> trials_left_out(
    const std::vector<TrialId>& wanted,
    const std::vector<ScaleSize>& planned,
    const std::vector<ScaleSize>& kept);

/// Returns the trials of `wanted` that are possible at no size of `ranks`, with reasons. Throws
/// core::Error(kUsage) for a size at which none is possible.
[[nodiscard]] std::vector<reports::SkipRecord> impossible_trials(const std::vector<TrialId>& wanted,
                                                                 const std::vector<int>& ranks);

}  // namespace dlbench::harness
