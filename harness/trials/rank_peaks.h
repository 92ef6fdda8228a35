// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The peak rates of the ranks' devices, which a trial's rate is a share of.
#pragma once

#include "harness/session/session_plan.h"
#include "harness/trials/rank_group.h"
#include "reports/record.h"
#include "reports/value.h"

#include <optional>
#include <vector>

namespace dlbench::harness {

/// The peaks of all ranks together, in one precision.
struct GroupPeaks {
  reports::Measured<double> flop_per_s;  ///< what mfu divides by, or why there is none
  std::optional<double> measured_flop_per_s;
};

/// Whether ranks of the group share a GPU or compute on hardware threads of one core, so that they
/// cannot all reach what each can reach alone. Collective; the same result on all ranks.
[[nodiscard]] bool ranks_share_devices(const SessionPlan& plan, RankGroup& group);

/// Returns the peaks where this rank computes: for a GPU the data sheet's and those measured
/// earlier, for the CPU known_peaks(), which may measure, on rank 0 only, as the others would
/// disturb it. Call it while nothing is timed, before memory is allocated.
[[nodiscard]] std::vector<reports::PeakRecord> peaks_of_this_rank(const backend::Backend& backend,
                                                                  const RankGroup& group);

/// Returns the sum of the peaks of each rank's GPU or cores: rank 0's measured figures also apply
/// to other ranks on the same processor. `own`: peaks_of_this_rank(). Collective.
[[nodiscard]] GroupPeaks peaks_of_all_ranks(const SessionPlan& plan,
                                            RankGroup& group,
                                            const std::vector<reports::PeakRecord>& own);

/// Why no operator has a bound although peaks were measured: they lack the memory's. Nothing where
/// they have it, and where there is no peak at all, which `mfu_reason` explains.
[[nodiscard]] std::optional<reports::SkipRecord> lacking_memory_peak(
    const std::vector<reports::PeakRecord>& peaks);

}  // namespace dlbench::harness
